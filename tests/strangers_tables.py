"""A shop, sensors and staff, and what a stranger might ask of them, each question with what pandas has."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from typing import Any

import pandas as pd

Frame = pd.DataFrame


def shop() -> dict[str, Frame]:
    """Customers, products and orders; ten customers have no order and one product none."""
    dice = random.Random(9)
    customers = pd.DataFrame(
        [
            {
                "customer_id": number + 1,
                "name": f"{dice.choice(['Ann', 'Ben', 'Cora', 'Dora'])} {chr(65 + number % 26)}{number}",
                "city": dice.choice(["Rome", "Oslo", "Lima", "Cairo"]),
                "segment": dice.choice(["retail", "business"]),
            }
            for number in range(40)
        ]
    )
    goods = [("Lamp", "Home", 20.0), ("Desk", "Office", 150.0), ("Chair", "Office", 80.0), ("Rug", "Home", 45.0)]
    goods.append(("Printer", "Office", 210.0))
    products = pd.DataFrame(
        [
            {"product_id": number + 1, "product_name": name, "category": kind, "unit_price": price}
            for number, (name, kind, price) in enumerate(goods)
        ]
    )
    rows: list[dict[str, Any]] = []
    for number in range(240):
        product, quantity = dice.choice([1, 1, 2, 3, 4]), dice.randrange(1, 6)
        rows.append(
            {
                "order_id": number + 1,
                "customer_id": dice.randrange(1, 31),
                "product_id": product,
                "order_date": (date(2022, 1, 1) + timedelta(days=number * 3)).isoformat(),
                "quantity": quantity,
                "amount": round(goods[product - 1][2] * quantity, 2),
                "status": dice.choice(["paid", "paid", "open", "cancelled"]),
            }
        )
    return {"customers": customers, "products": products, "orders": pd.DataFrame(rows)}


def readings() -> Frame:
    """Forty days of two sensors, hour by hour; some humidity is missing."""
    dice = random.Random(4)
    return pd.DataFrame(
        [
            {
                "reading_time": (datetime(2024, 3, 1) + timedelta(hours=hour)).isoformat(sep=" "),
                "sensor": sensor,
                "temperature": round(base + dice.gauss(0, 3), 2),
                "humidity": None if dice.random() < 0.05 else round(dice.uniform(20, 90), 1),
                "power_kwh": round(abs(dice.gauss(3, 1)), 3),
            }
            for hour in range(24 * 40)
            for sensor, base in (("north", 12), ("south", 20))
        ]
    )


def employees() -> Frame:
    """Staff with the day they came."""
    dice = random.Random(2)
    return pd.DataFrame(
        [
            {
                "employee_id": number + 1,
                "full_name": f"{dice.choice(['Ann', 'Ben', 'Cora'])} {dice.choice(['Ash', 'Birch'])} {number}",
                "department": dice.choice(["Sales", "Engineering", "Support", "Finance"]),
                "gender": dice.choice(["F", "M"]),
                "hire_date": (date(2014, 1, 1) + timedelta(days=dice.randrange(3600))).isoformat(),
                "salary": dice.randrange(32_000, 140_000, 250),
                "bonus": dice.randrange(0, 15_000, 100),
                "age": dice.randrange(21, 66),
            }
            for number in range(150)
        ]
    )


TABLES: dict[str, dict[str, Frame]] = {
    "shop": shop(),
    "sensors": {"readings": readings()},
    "staff": {"employees": employees()},
}
SHOP, READ, STAFF = TABLES["shop"], TABLES["sensors"]["readings"], TABLES["staff"]["employees"]
WIDE = SHOP["orders"].merge(SHOP["customers"], on="customer_id").merge(SHOP["products"], on="product_id")
TIME = pd.to_datetime(READ["reading_time"])
ORDERS_OF = WIDE.groupby("name").size()


def bought(*names: str) -> set[str]:
    return set(WIDE[WIDE["product_name"].isin(names)]["name"])


ALL = set(SHOP["customers"]["name"])
ASK = None
QUESTIONS: dict[str, dict[str, Any]] = {
    "shop": {
        "total amount by city": lambda: WIDE.groupby("city")["amount"].sum(),
        "top 5 customers by amount": lambda: WIDE.groupby("name")["amount"].sum().nlargest(5),
        "average order amount by segment": lambda: WIDE.groupby("segment")["amount"].mean(),
        "revenue by category in 2022": lambda: WIDE[WIDE["order_date"] < "2023"].groupby("category")["amount"].sum(),
        "best selling product by quantity": lambda: WIDE.groupby("product_name")["quantity"].sum().nlargest(1),
        "cancelled orders by category": lambda: WIDE[WIDE["status"] == "cancelled"].groupby("category").size(),
        "number of orders per customer": lambda: ORDERS_OF,
        "number of customers by city": lambda: SHOP["customers"].groupby("city").size(),
        "average unit price by category": lambda: SHOP["products"].groupby("category")["unit_price"].mean(),
        "how many orders were cancelled": lambda: (SHOP["orders"]["status"] == "cancelled").sum(),
        "customers without orders": lambda: ALL - set(WIDE["name"]),
        "which products were never sold": lambda: {"Printer"},
        "customers who bought both Lamp and Desk": lambda: bought("Lamp") & bought("Desk"),
        "customers who bought neither Lamp nor Desk": lambda: ALL - bought("Lamp", "Desk"),
        "customers who ordered Lamp but not Desk": lambda: bought("Lamp") - bought("Desk"),
        "how many customers have more than 8 orders": lambda: (ORDERS_OF > 8).sum(),
        "customers with at least 10 orders": lambda: set(ORDERS_OF[ORDERS_OF >= 10].index),
        "how many customers have fewer than 5 orders": lambda: 40 - (ORDERS_OF >= 5).sum(),
        "total happiness by city": ASK,
        "profit by category": ASK,
    },
    "sensors": {
        "average temperature by hour of day": lambda: READ.groupby(TIME.dt.hour)["temperature"].mean(),
        "which sensor has the highest average temperature": lambda: (
            READ.groupby("sensor")["temperature"].mean().nlargest(1)
        ),
        "max humidity per sensor": lambda: READ.groupby("sensor")["humidity"].max(),
        "how many readings are missing humidity": lambda: READ["humidity"].isna().sum(),
        "total power in March 2024": lambda: READ[TIME < "2024-04-01"]["power_kwh"].sum(),
        "average temperature in April 2024 by sensor": lambda: (
            READ[TIME >= "2024-04-01"].groupby("sensor")["temperature"].mean()
        ),
        "readings per sensor": lambda: READ.groupby("sensor").size(),
        "how many readings have temperature above 25": lambda: (READ["temperature"] > 25).sum(),
        "month to date power": lambda: READ[TIME >= "2024-04-01"]["power_kwh"].sum(),
        "percentage of readings by sensor": lambda: READ.groupby("sensor").size(),
        "peak voltage by sensor": ASK,
    },
    "staff": {
        "average salary by department": lambda: STAFF.groupby("department")["salary"].mean(),
        "headcount by department": lambda: STAFF.groupby("department").size(),
        "median salary by gender": lambda: STAFF.groupby("gender")["salary"].median(),
        "total salary plus bonus by department": lambda: (
            (STAFF["salary"] + STAFF["bonus"]).groupby(STAFF["department"]).sum()
        ),
        "average age where department is not Sales": lambda: STAFF[STAFF["department"] != "Sales"]["age"].mean(),
        "total bonus by age range of 10": lambda: (
            STAFF.groupby(STAFF["age"] // 10)["bonus"].sum().reset_index(drop=True)
        ),
        "how many employees with salary over 100000": lambda: (STAFF["salary"] > 100_000).sum(),
        "compare average salary of Sales, Support and Finance": lambda: (
            STAFF.groupby("department")["salary"].mean().loc[["Sales", "Support", "Finance"]]
        ),
        "hires per year": lambda: STAFF.groupby(STAFF["hire_date"].str[:4]).size().reset_index(drop=True),
        "salary in buckets of 20,000": lambda: STAFF.groupby(STAFF["salary"] // 20_000).size().reset_index(drop=True),
        "top 3 employees by salary": lambda: STAFF.nlargest(3, "salary")["salary"],
        "average salary of employees over 50": lambda: STAFF[STAFF["age"] > 50]["salary"].mean(),
        "average tenure by department": ASK,
        "who is the best employee": ASK,
    },
}
