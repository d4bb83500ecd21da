"""openmetrics.py - a strict reader of OpenMetrics 1.0 text, after the grammar and the rules of
prometheus/docs:specs/om/open_metrics_spec.md (the sections "Text format" and "Data model").

read(bytes) returns the families in their order, or raises Wrong with the number of the line. It
refuses more than Prometheus does: what the specification calls SHOULD counts as MUST here where it
is about TYPE, UNIT, HELP in this order and about names that look like another family's samples."""
import re
from decimal import Decimal

LABEL_NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
METRIC_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
VALUE_IN_QUOTES = r'(?:[^"\\\n]|\\n|\\"|\\\\)*'
LABEL = re.compile(r'(%s)="(%s)"' % (LABEL_NAME, VALUE_IN_QUOTES))
LABELS = re.compile(r'\{(?:%s(?:,%s)*)?\}' % ((r'%s="%s"' % (LABEL_NAME, VALUE_IN_QUOTES),) * 2))
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z|[+-]?inf(?:inity)?\Z|nan\Z", re.I)
TYPES = {
    "unknown": [""], "gauge": [""], "info": ["_info"], "counter": ["_total", "_created"], "stateset": [""],
    "summary": ["", "_count", "_sum", "_created"], "histogram": ["_bucket", "_count", "_sum", "_created"],
    "gaugehistogram": ["_bucket", "_gcount", "_gsum"],
}
ORDER = ["TYPE", "UNIT", "HELP"]


class Wrong(Exception):
    pass


class Family:
    def __init__(self, name):
        self.name, self.told, self.samples = name, {}, {}

    @property
    def type(self):
        return self.told.get("TYPE", "unknown")


def unescape(text):
    return re.sub(r'\\(["\\n])', lambda m: "\n" if m[1] == "n" else m[1], text)


def descriptor(line):
    m = re.match(r"# (TYPE|UNIT|HELP) (%s) (.*)\Z" % METRIC_NAME, line, re.S)
    if not m:
        raise Wrong(f"no descriptor: {line!r}")
    what, name, rest = m.groups()
    if what == "TYPE" and rest not in TYPES:
        raise Wrong(f"no type of a metric: {rest!r}")
    if what == "UNIT" and not re.fullmatch(r"[a-zA-Z0-9_:]+", rest):
        raise Wrong(f"no unit: {rest!r}")
    if what == "UNIT" and not name.endswith("_" + rest):
        raise Wrong(f"the unit {rest} is no suffix of {name}")
    if what == "HELP" and not re.fullmatch(VALUE_IN_QUOTES, rest):
        raise Wrong(f"a help that is not escaped: {rest!r}")
    return what, name, rest


def sample(line):
    """name, labels (no empty ones: these are the same as none), value"""
    m = re.match(METRIC_NAME, line)
    if not m:
        raise Wrong(f"no name of a metric: {line!r}")
    rest, labels = line[m.end():], {}
    in_braces = LABELS.match(rest)
    if rest.startswith("{") and not in_braces:
        raise Wrong(f"labels that are none: {line!r}")
    if in_braces:
        rest = rest[in_braces.end():]
        for key, value in LABEL.findall(in_braces[0]):
            if key in labels or key.startswith("__"):
                raise Wrong(f"label {key} twice, or reserved: {line!r}")
            labels[key] = unescape(value)
    parts = rest.split(" ")
    if len(parts) not in (2, 3) or parts[0] or not all(NUMBER.match(x) for x in parts[1:]):
        raise Wrong(f"want a blank and a number, got {rest!r}")
    return m[0], tuple(sorted((k, v) for k, v in labels.items() if v)), parts[1]


def add_descriptor(family, what, rest):
    if family.samples:
        raise Wrong(f"{what} of {family.name} behind its samples")
    if any(ORDER.index(x) >= ORDER.index(what) for x in family.told):
        raise Wrong(f"{what} of {family.name} twice or out of order")
    if what == "UNIT" and family.type in ("info", "stateset"):
        raise Wrong(f"{family.name}: a family of type {family.type} has no unit")
    family.told[what] = rest


def add_sample(family, name, labels, value):
    if name not in [family.name + suffix for suffix in TYPES[family.type]]:
        raise Wrong(f"sample {name} among those of {family.name}, of type {family.type}")
    if (name, labels) in family.samples:
        raise Wrong(f"{name} {dict(labels)} twice")
    if family.type == "info" and Decimal(value) != 1:
        raise Wrong(f"{name}: an info is 1, not {value}")
    family.samples[name, labels] = value


def check_names(families):
    sampled = {f.name + suffix: f.name for f in families for suffix in TYPES[f.type]}
    for f in families:
        if f.name.startswith("_"):
            raise Wrong(f"{f.name}: names with '_' at the beginning are reserved")
        for other in families:
            if other is not f and f.name.startswith(other.name + "_") and sampled.get(f.name) == other.name:
                raise Wrong(f"family {f.name} looks like a sample of {other.name}")


def read(data):
    text = data.decode("utf-8")                    # strict: another encoding is wrong
    if not text.endswith("# EOF\n") and not text.endswith("# EOF"):
        raise Wrong("no # EOF at the end")
    lines = text[:text.rindex("# EOF")].split("\n")
    if lines.pop():
        raise Wrong("# EOF is no line of its own")
    families, by_name, current = [], {}, None
    for number, line in enumerate(lines, 1):
        try:
            if line.startswith("#"):
                what, name, rest = descriptor(line)
                if current is None or current.name != name:
                    if name in by_name:
                        raise Wrong(f"family {name} is in pieces")
                    current = by_name[name] = Family(name)
                    families.append(current)
                add_descriptor(current, what, rest)
            else:
                if current is None:
                    raise Wrong(f"a sample without a family: {line!r}")
                add_sample(current, *sample(line))
        except Wrong as e:
            raise Wrong(f"line {number}: {e}") from None
    check_names(families)
    return families
