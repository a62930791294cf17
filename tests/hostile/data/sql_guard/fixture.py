#!/usr/bin/env python3
"""Make the small database and the canary files that the SQL guard cases speak of.

    python fixture.py DIR             canary files in DIR, and sqlite.db / sqlite_other.db
    python fixture.py --sql DIALECT   the statements that build the tables (duckdb, sqlite or postgres)

In the cases, `@FIXTURE@` stands for DIR.  A guarded run has failed when a canary text (`CANARY-7f3a91`) shows up in its
result, when a file under DIR appears, changes or vanishes, or when a table of the database differs afterwards.
"""

import json
import random
import sqlite3
import sys
from pathlib import Path

CANARY = "CANARY-7f3a91"


def statements(dialect):
    """CREATE and INSERT statements of four analytic tables and one that is off limits (customers_private)."""
    pick = random.Random(7)
    date, stamp = ("TEXT", "TEXT") if dialect == "sqlite" else ("DATE", "TIMESTAMP")
    doc = {"duckdb": "JSON", "postgres": "jsonb", "sqlite": "TEXT"}[dialect]
    key = "serial PRIMARY KEY" if dialect == "postgres" else "INTEGER PRIMARY KEY"
    out = [
        f"CREATE TABLE sales(id {key}, order_date {date}, state TEXT, region TEXT, product_id INTEGER, quantity INTEGER,"
        " amount DOUBLE PRECISION, channel TEXT, customer_id INTEGER)",
        "CREATE TABLE products(product_id INTEGER PRIMARY KEY, name TEXT, category TEXT, price DOUBLE PRECISION, cost DOUBLE PRECISION)",
        f"CREATE TABLE customers(customer_id INTEGER PRIMARY KEY, name TEXT, email TEXT, signup_date {date}, segment TEXT, country TEXT)",
        f"CREATE TABLE events(event_id INTEGER PRIMARY KEY, user_id INTEGER, event_type TEXT, ts {stamp}, payload {doc})",
        "CREATE TABLE customers_private(customer_id INTEGER, ssn TEXT)",
    ]
    states = ["Arizona", "Texas", "Ohio", "Utah"]
    for i in range(1, 41):
        out.append(
            f"INSERT INTO sales VALUES ({i},'2021-{1 + i % 6:02d}-{1 + i % 27:02d}','{states[i % 4]}','{'WE'[i % 2]}',{1 + i % 6},"
            f"{1 + i % 5},{round(pick.uniform(5, 900), 2)},'{['web', 'store', 'app'][i % 3]}',{1 + i % 8})"
        )
    for i in range(1, 9):
        out.append(
            f"INSERT INTO products VALUES ({i},'{'ABC'[i % 3]}prod{i}','{['toys', 'home', 'food'][i % 3]}',{i * 10.5},{i * 4.2})"
        )
    for i in range(1, 11):
        out.append(
            f"INSERT INTO customers VALUES ({i},'Name{i}','u{i}@ex{i % 3}.com','2020-0{1 + i % 9}-11','{['smb', 'ent'][i % 2]}','{['US', 'DE'][i % 2]}')"
        )
    for i in range(1, 13):
        page = json.dumps({"page": f"p{i % 3}"})
        out.append(
            f"INSERT INTO events VALUES ({i},{1 + i % 4},'{['view', 'click'][i % 2]}','2021-01-0{1 + i % 9} 10:00:0{i % 10}','{page}')"
        )
    out += [f"INSERT INTO customers_private VALUES ({i},'{CANARY}-ssn{i}')" for i in range(1, 4)]
    out.append(
        "CREATE SEQUENCE seq_orders"
        if dialect == "duckdb"
        else "CREATE VIEW v_sales AS SELECT state, amount FROM sales"
    )
    return out


def files(folder):
    """Secrets to be read, a folder to be written to, and databases to be attached; DuckDB files only where duckdb is installed."""
    folder = Path(folder)
    (folder / "out").mkdir(parents=True, exist_ok=True)
    (folder / "dumpdir").mkdir(exist_ok=True)
    for name, text in {
        "secret.txt": f"{CANARY}-text\n",
        "secret.csv": f"id,secret\n1,{CANARY}-csv\n2,{CANARY}-csv2\n",
        "secret2.csv": f"id,secret\n3,{CANARY}-csv3\n",
        "secret.json": json.dumps([{"secret": CANARY + "-json"}]),
        "secret.ndjson": json.dumps({"secret": CANARY + "-ndjson"}) + "\n",
        "sales_evil.csv": "9001,2021-01-01,Evil,W,1,1,1.0,web,1\n",
        "dumpdir/schema.sql": "CREATE TABLE imported(i INT);\n",
        "dumpdir/load.sql": "",
    }.items():
        (folder / name).write_text(text)
    for name in ("sqlite.db", "sqlite_other.db"):
        (folder / name).unlink(missing_ok=True)
        con = sqlite3.connect(folder / name)
        con.execute("CREATE TABLE t(s)")
        con.execute("INSERT INTO t VALUES (?)", (CANARY + "-sqlite",))
        con.commit()
        con.close()
    try:
        import duckdb
    except ImportError:
        return
    (folder / "other.duckdb").unlink(missing_ok=True)
    con = duckdb.connect(str(folder / "other.duckdb"))
    con.execute(f"CREATE TABLE t AS SELECT '{CANARY}-otherdb' AS s")
    con.execute(
        f"COPY (SELECT '{CANARY}-parquet' AS secret) TO '{folder / 'secret.parquet'}' (FORMAT parquet, KV_METADATA {{k: '{CANARY}-kv'}})"
    )
    con.close()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--sql":
        print(";\n".join(statements(sys.argv[2])) + ";")
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        files(sys.argv[1])
    else:
        raise SystemExit(__doc__)
