# Averment in a container: built in one stage, run in another that holds no compiler, no cache and no root.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
COPY requirements-uv.lock ./
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements-uv.lock
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
RUN uv venv /opt/averment
# The locked libraries first: they change less often than our own code.
COPY requirements.lock ./
RUN uv pip install --python /opt/averment/bin/python --no-deps --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN uv pip install --python /opt/averment/bin/python --no-deps .

FROM python:3.11-slim-bookworm
# The jail for code; where the container may make no namespaces, Landlock and seccomp hold alone.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends bubblewrap fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin averment \
 && install -d -o averment -g averment -m 0700 /data
COPY --from=build /opt/averment /opt/averment
ENV PATH=/opt/averment/bin:$PATH \
    AVERMENT_HOME=/data \
    AVERMENT_HTTP_HOST=0.0.0.0 \
    PYTHONDONTWRITEBYTECODE=1
USER averment
WORKDIR /data
VOLUME /data
EXPOSE 8765
# The root may be mounted read-only: everything is written under /data and /tmp.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/health', timeout=4)"]
ENTRYPOINT ["averment"]
CMD ["serve"]
