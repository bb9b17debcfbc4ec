/**
 * Reads all requirements of the locked wheels with the interpreter they are for. Fails with one line per fault.
 *
 * The job comes by standard input: `{packaging, requirements, versions}`: the folder the `packaging` library lies in,
 * the requirements of each wheel (and of our package, under the empty name), the locked version of each wheel.
 */

import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const CHECK = `
import json
import sys

sys.path.insert(0, "/packaging")
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

def faults(requirements, versions):
    needed = set()
    for owner, lines in requirements.items():
        for line in lines:
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
                continue
            name = canonicalize_name(requirement.name)
            needed.add(name)
            if name not in versions:
                yield f"{owner or 'the package'} needs {line}, which is not locked"
            elif not requirement.specifier.contains(versions[name], prereleases=True):
                yield f"{owner or 'the package'} needs {line}, but {versions[name]} is locked"
    for name in sorted(set(versions) - needed):
        yield f"{name} is locked, but nothing needs it"

found = json.loads(job)
json.dumps(list(faults(found["requirements"], found["versions"])))
`;

const job = await text(process.stdin);
const pyodide = await loadPyodide({ indexURL: dirname(fileURLToPath(import.meta.resolve("pyodide"))) });
pyodide.FS.mkdir("/packaging");
pyodide.mountNodeFS("/packaging", JSON.parse(job).packaging);
pyodide.globals.set("job", job);
const faults = JSON.parse(pyodide.runPython(CHECK));
for (const fault of faults) console.error(fault);
process.exit(faults.length ? 1 : 0);
