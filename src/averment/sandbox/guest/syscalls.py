"""Which system calls analysis code needs, with their numbers on both processors.

An allow-list: whatever is not named here is refused. Free calls pass, checked ones pass with certain arguments, and the
rest of the tables are calls that get a fixed answer. A dash means that the processor has no such call.
"""

from __future__ import annotations

from .kernel import Machine

_FREE = """
read 0 63|write 1 64|open 2 -|close 3 57|stat 4 -|fstat 5 80|lstat 6 -|poll 7 -|lseek 8 62|mmap 9 222|mprotect 10 226
munmap 11 215|brk 12 214|rt_sigaction 13 134|rt_sigprocmask 14 135|rt_sigreturn 15 139|rt_sigpending 127 136
rt_sigtimedwait 128 137|rt_sigsuspend 130 133|pread64 17 67|pwrite64 18 68|readv 19 65|writev 20 66|preadv 295 69
pwritev 296 70|preadv2 327 286|pwritev2 328 287|access 21 -|pipe 22 -|select 23 -|sched_yield 24 124|mremap 25 216
msync 26 227|mincore 27 232|madvise 28 233|dup 32 23|dup2 33 -|dup3 292 24|pause 34 -|nanosleep 35 101
getitimer 36 102|setitimer 38 103|alarm 37 -|getpid 39 172|sendfile 40 71|exit 60 93|exit_group 231 94|wait4 61 260
waitid 247 95|uname 63 160|flock 73 32|fsync 74 82|fdatasync 75 83|truncate 76 45|ftruncate 77 46|getdents 78 -
getdents64 217 61|getcwd 79 17|chdir 80 49|fchdir 81 50|rename 82 -|mkdir 83 -|rmdir 84 -|creat 85 -|link 86 -
unlink 87 -|symlink 88 -|readlink 89 -|umask 95 166|gettimeofday 96 169|getrlimit 97 163|getrusage 98 165
sysinfo 99 179|times 100 153|getuid 102 174|getgid 104 176|geteuid 107 175|getegid 108 177|getppid 110 173
getpgrp 111 -|getgroups 115 158|getresuid 118 148|getresgid 120 150|getpgid 121 155|getsid 124 156|capget 125 90
sigaltstack 131 132|statfs 137 43|fstatfs 138 44|getpriority 140 141|sched_getparam 143 121
sched_getscheduler 145 120|sched_get_priority_max 146 125|sched_get_priority_min 147 126
sched_rr_get_interval 148 127|gettid 186 178|time 201 -|futex 202 98|futex_waitv 449 449|futex_wake 454 454
futex_wait 455 455|futex_requeue 456 456|sched_getaffinity 204 123|epoll_create 213 -|epoll_create1 291 20
epoll_ctl 233 21|epoll_wait 232 -|epoll_pwait 281 22|epoll_pwait2 441 441|set_tid_address 218 96
restart_syscall 219 128|fadvise64 221 223|readahead 187 213|sync_file_range 277 84|clock_gettime 228 113
clock_getres 229 114|clock_nanosleep 230 115|timer_create 222 107|timer_settime 223 110|timer_gettime 224 108
timer_getoverrun 225 109|timer_delete 226 111|timerfd_create 283 85|timerfd_settime 286 86|timerfd_gettime 287 87
eventfd 284 -|eventfd2 290 19|signalfd 282 -|signalfd4 289 74|openat 257 56|mkdirat 258 34|newfstatat 262 79
unlinkat 263 35|renameat 264 38|renameat2 316 276|linkat 265 37|symlinkat 266 36|readlinkat 267 78|faccessat 269 48
faccessat2 439 439|pselect6 270 72|ppoll 271 73|set_robust_list 273 99|fallocate 285 47|pipe2 293 59|getcpu 309 168
getrandom 318 278|statx 332 291|rseq 334 293|membarrier 324 283|copy_file_range 326 285|close_range 436 436
get_mempolicy 239 236|recvfrom 45 207|shutdown 48 210|getsockname 51 204|getpeername 52 205|getsockopt 55 209
setrlimit 160 164
"""

_CHECKED = """
clone 56 220|kill 62 129|tgkill 234 131|prlimit64 302 261|ioctl 16 29|fcntl 72 25|prctl 157 167|socketpair 53 199
sendto 44 206
"""

# Calls that change a file's mode or times. Landlock does not govern them, so where the jail has no mounts of its own
# they are answered with success and do nothing.
_METADATA = """
chmod 90 -|fchmod 91 52|fchmodat 268 53|fchmodat2 452 452|utime 132 -|utimes 235 -|utimensat 280 88|futimesat 261 -
"""

_ATTRIBUTES = """
setxattr 188 5|lsetxattr 189 6|fsetxattr 190 7|getxattr 191 8|lgetxattr 192 9|fgetxattr 193 10|listxattr 194 11
llistxattr 195 12|flistxattr 196 13|removexattr 197 14|lremovexattr 198 15|fremovexattr 199 16
"""

# glibc asks for these first and falls back to older, checkable calls when the kernel does not know them.
_ABSENT = "clone3 435 435|openat2 437 437"


def _table(text: str, column: int) -> dict[str, int]:
    rows = (row.split() for line in text.strip().splitlines() for row in line.split("|"))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


class Calls:
    """The tables of one processor, by name."""

    def __init__(self, machine: Machine) -> None:
        column = 1 if machine == "x86_64" else 2
        self.free = _table(_FREE, column)
        self.checked = _table(_CHECKED, column)
        self.metadata = _table(_METADATA, column)
        self.attributes = _table(_ATTRIBUTES, column)
        self.absent = _table(_ABSENT, column)
        self.seccomp = 317 if machine == "x86_64" else 277
        self.audit_arch = 0xC000_003E if machine == "x86_64" else 0xC000_00B7
        self.has_x32 = machine == "x86_64"
