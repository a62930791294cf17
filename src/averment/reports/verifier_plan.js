// Carries out simple plans over a CSV file: one table, plain filters and groups.
"use strict";
const AvermentPlan = (() => {
  const NOTHING = new Set(["", "NA", "N/A", "n/a", "NULL", "null", "None", "NaN", "nan", "-"]);
  const refuse = (why) => { throw new Error(why); };

  /** The records of separated text. */
  function records(text, delimiter) {
    const rows = [];
    let row = [], cell = "", quoted = false;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text[at];
      if (quoted) {
        if (letter !== '"') cell += letter;
        else if (text[at + 1] === '"') { cell += '"'; at += 1; } else quoted = false;
      } else if (letter === '"' && cell === "") quoted = true;
      else if (letter === delimiter) { row.push(cell); cell = ""; }
      else if (letter === "\n" || letter === "\r") {
        if (letter === "\r" && text[at + 1] === "\n") at += 1;
        rows.push([...row, cell]);
        row = []; cell = "";
      } else cell += letter;
    }
    return cell || row.length ? [...rows, [...row, cell]] : rows;
  }

  function rowsOf(table, text) {
    const names = table.columns.map((one) => one.original_name.trim());
    for (const delimiter of [",", ";", "\t", "|"]) {
      const all = records(text.replace(/^\ufeff/, ""), delimiter);
      const head = all.findIndex((row) => row.length === names.length && row.every((cell, at) => cell.trim() === names[at]));
      if (head < 0) continue;
      const body = all.slice(head + 1).filter((row) => row.some((cell) => cell.trim()));
      if (body.some((row) => row.length !== names.length)) refuse("the file's rows are not all of one width.");
      return body.map((row) => new Map(table.columns.map((column, at) => [column.name, typed(column, row[at].trim())])));
    }
    return refuse("this page cannot read the file's layout.");
  }

  function typed(column, cell) {
    if (NOTHING.has(cell)) return null;
    if (!/INT|DECIMAL|DOUBLE|FLOAT|NUMERIC|REAL/.test(column.type)) return /VARCHAR/.test(column.type) ? cell : { other: cell };
    const number = Number(cell);
    return Number.isNaN(number) ? { other: cell } : number;
  }

  const column = (value, row) => {
    if (!value || (value.kind && value.kind !== "column")) refuse("the plan computes more than columns.");
    const held = row.get(value.column);
    if (held !== null && typeof held === "object") refuse(`this page does not read the values of ${value.column}.`);
    return held === undefined ? refuse(`there is no column ${value.column}.`) : held;
  };

  function meets(test, row) {
    if (test.inner || test.other) refuse("the plan compares with more than values.");
    let holds;
    if (test.any_of || test.all_of) {
      holds = (!test.any_of || test.any_of.some((each) => meets(each, row))) && (test.all_of || []).every((each) => meets(each, row));
      return test.negated ? !holds : holds;
    }
    const held = column(test.value, row), [first, second] = test.to || [];
    const operator = test.operator || "=";
    if (operator === "null") return (held === null) !== Boolean(test.negated);
    if (held === null) return false;
    if (typeof held !== typeof first) refuse("the plan compares values of two kinds.");
    const ways = {
      "=": () => held === first, "!=": () => held !== first, "<": () => held < first, "<=": () => held <= first,
      ">": () => held > first, ">=": () => held >= first, between: () => held >= first && held <= second,
      in: () => test.to.includes(held), "not in": () => !test.to.includes(held),
    };
    if (!ways[operator] || (typeof held === "string" && "<=>=between".includes(operator) && operator !== "=")) refuse("the plan has another comparison.");
    return ways[operator]() !== Boolean(test.negated);
  }

  function figure(measure, rows) {
    const tests = measure.where || [];
    if (measure.function === "rate") {
      const known = rows.filter((row) => tests.every((test) => column(test.value, row) !== null));
      return 100 * known.filter((row) => tests.every((test) => meets(test, row))).length / known.length;
    }
    const met = rows.filter((row) => tests.every((test) => meets(test, row)));
    let made = met.length;
    if (measure.function !== "rows") {
      if (measure.weight) refuse("the plan weighs its figures.");
      const held = met.map((row) => column(measure.of, row)).filter((one) => one !== null);
      const sum = () => held.reduce((all, one) => all + one, 0);
      const order = () => [...held].sort((a, b) => a - b);
      const middle = (all) => (all[Math.floor((all.length - 1) / 2)] + all[Math.ceil((all.length - 1) / 2)]) / 2;
      const ways = { count: () => held.length, distinct: () => new Set(held).size, sum, mean: () => sum() / held.length, min: () => Math.min(...held), max: () => Math.max(...held), median: () => middle(order()) };
      if (!ways[measure.function]) refuse(`this page does not compute a ${measure.function}.`);
      if (!["count", "distinct"].includes(measure.function) && held.some((one) => typeof one !== "number")) refuse("the plan computes with texts.");
      made = ways[measure.function]();
    }
    if (measure.over) made /= figure(measure.over, rows);
    return measure.percent ? made * 100 : made;
  }

  /** The cells that sentences rest on, row by row of the result. */
  function evidence(plain) {
    const rows = new Map();
    for (const finding of (plain.records.conclusion || { findings: [] }).findings) {
      for (const slot of Object.values(finding.slots)) {
        for (const cell of slot.evidence.kind === "derived" ? slot.evidence.of : [slot.evidence]) {
          if (cell.kind !== "cell") continue;
          const key = `${cell.observation_id} ${cell.row}`;
          rows.set(key, { ...rows.get(key), [cell.column]: cell.value });
        }
      }
    }
    return [...rows.values()];
  }

  const near = (left, right) => left === right || (typeof left === "number" && typeof right === "number" && Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right), 1e-3));

  /** How many told numbers there are, and a sentence for each that differs. */
  function compute(plain, source, text) {
    const plan = ((plain.run.reading || {}).reading || {}).plan;
    const simple = ["version", "table", "where", "by", "measures", "rank", "order", "expects", "chart", "having"];
    if (source.format !== "csv") refuse("the source is not a text file.");
    if (!plan || !plan.measures || Object.keys(plan).some((part) => !simple.includes(part))) refuse("the plan is not simple enough.");
    const table = source.tables.find((one) => one.name === plan.table);
    if (!table || plan.measures.length !== 1) refuse("the plan has several figures.");
    const keys = (plan.by || []).map((value) => value.column);
    const rows = rowsOf(table, text).filter((row) => (plan.where || []).every((test) => meets(test, row)));
    const groups = new Map();
    for (const row of rows) {
      const held = (plan.by || []).map((value) => column(value, row)), name = JSON.stringify(held);
      groups.set(name, [...(groups.get(name) || []), row]);
    }
    if (!keys.length) groups.set("[]", rows);
    const made = [...groups].map(([name, each]) => ({ keys: JSON.parse(name), value: figure(plan.measures[0], each) }));
    const wrong = [];
    let count = 0;
    for (const told of evidence(plain)) {
      const figures = Object.keys(told).filter((name) => !keys.includes(name));
      const raw = told[figures[0]], shown = /^-?\d+(\.\d+)?$/.test(raw) ? +raw : raw; // Exact decimals are texts.
      if (figures.length !== 1 || typeof shown !== "number") continue;
      const fitting = made.filter((one) => keys.every((key, at) => !(key in told) || near(told[key], one.keys[at])));
      count += 1;
      if (!fitting.some((one) => near(one.value, shown))) {
        const who = keys.filter((key) => key in told).map((key) => `${key} ${told[key]}`).join(", ");
        wrong.push(`${figures[0]}${who ? ` for ${who}` : ""} is given as ${told[figures[0]]}; this file gives ${fitting.length === 1 ? fitting[0].value : "another number"}.`);
      }
    }
    return count ? { count, wrong } : refuse("no number of the report is a figure of the plan.");
  }

  return { compute };
})();
