"""Measures tantivy for tantivy.ts: builds an index with one writer thread, and asks it."""

import json
import sys
import time
from pathlib import Path

import tantivy

folder = Path(sys.argv[1])
fields = ["title", "description", "brand", "category"]
builder = tantivy.SchemaBuilder()
builder.add_integer_field("id", stored=True, fast=True)
for field in fields:
    builder.add_text_field(field, stored=False, tokenizer_name="en_stem")
index = tantivy.Index(builder.build(), path=None)

lines = (folder / "items.jsonl").read_text().split("\n")
items = [json.loads(line) for line in lines]
start, cpu_start = time.perf_counter(), time.process_time()
writer = index.writer(heap_size=256_000_000, num_threads=1)
for number, item in enumerate(items):
    document = tantivy.Document()
    document.add_integer("id", number)
    for field in fields:
        document.add_text(field, str(item.get(field) or ""))
    writer.add_document(document)
writer.commit()
writer.wait_merging_threads()
building, cpu = time.perf_counter() - start, time.process_time() - cpu_start
index.reload()
searcher = index.searcher()
asked = json.loads((folder / "queries.json").read_text())


def search(text: str, distance: int) -> list[int]:
    fuzzy = {field: (False, distance, True) for field in fields} if distance else {}
    query, _ = index.parse_query_lenient(text, fields, field_boosts={"title": 2.0}, fuzzy_fields=fuzzy)
    hits = searcher.search(query, 10).hits
    return [searcher.doc(address)["id"][0] for _, address in hits]


def measure(queries: list[str], distance: int) -> dict:
    lists = [search(query, distance) for query in queries]
    total = 0.0
    for query in queries:
        times = []
        for _ in range(asked["runs"]):
            begin = time.perf_counter()
            search(query, distance)
            times.append(time.perf_counter() - begin)
        total += min(times)
    return {"microseconds": total / len(queries) * 1e6, "lists": lists}


distances = [measure(asked["plain"], 0), measure(asked["misspelt"], 1), measure(asked["misspelt"], 2)]
print(json.dumps({"building": building, "cpu": cpu, "distances": distances}))
