"""Reads a Prometheus exposition from stdin with Prometheus' own client and prints its samples as JSON."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = text_string_to_metric_families(sys.stdin.read())
json.dump(
    [
        {"name": sample.name, "type": family.type, "help": family.documentation, "labels": sample.labels, "value": sample.value}
        for family in families
        for sample in family.samples
    ],
    sys.stdout,
)
