#!/bin/sh
# The example from beginning to end: ask, show the proof, say where the report is.
set -eu
averment=$1
home=${AVERMENT_HOME:-.averment}
question="total amount by region in 2024"
echo "$ averment analyze \"$question\" --source examples/sales.csv"
"$averment" --home "$home" analyze "$question" --source examples/sales.csv
run=$("$averment" --home "$home" list --limit 1 --json | sed -n 's/.*"id": "\([^"]*\)".*/\1/p')
echo
echo "$ averment verify $run"
"$averment" --home "$home" verify "$run"
"$averment" --home "$home" export "$run" --to html --out "$home/report.html" >/dev/null
echo
echo "The report, one file for any browser:  $home/report.html"
