#!/usr/bin/env python3
"""exported.py - every function that a contract header declares is exported to plugins, and nothing else is. Run from the top."""
import glob
import re
import sys


def declared():
    names = set()
    for header in glob.glob('sim/contract/*.h'):
        text = re.sub(r'/\*.*?\*/', '', open(header).read(), flags=re.S)
        text = re.sub(r'^static inline [^{;]*\{.*?^\}', '', text, flags=re.S | re.M)
        while re.search(r'\{[^{}]*\}', text):         # structs, their function pointers with them
            text = re.sub(r'\{[^{}]*\}', '', text)
        names |= set(re.findall(r'^(?!typedef|#|static)[\w *]+?\b(\w+)\([^;]*\);', text, re.M))
    return names


exported = set(re.findall(r'^\s+(\w+);', open('sim/contract/exported.list').read(), re.M))
missing, beyond = sorted(declared() - exported), sorted(exported - declared())
for name in missing:
    print('sim/contract/exported.list: %s(): declared in a contract header, not exported' % name)
for name in beyond:
    print('sim/contract/exported.list: %s(): exported, in no contract header' % name)
print('%d functions exported' % len(exported))
sys.exit(bool(missing or beyond) or len(exported) < 100)
