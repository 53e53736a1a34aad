// node generate-messages.cjs RCLNODEJS_FOLDER
// The message generator of rclnodejs, which starts a Python for each definition, hundreds of them at once: here one Python
// parses them all. What it makes of them is left to it. Types for TypeScript, which nobody here imports, are not made:
// making them loads every message and so needs the addon.

const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const folder = process.argv[2];
const parser = require(join(folder, 'rosidl_parser', 'rosidl_parser.cjs'));
const generator = require(join(folder, 'rosidl_gen', 'index.cjs'));

/** Does for each line, a JSON array of arguments, what parser.py of rclnodejs does for its arguments. */
const SERVER = `
import io, json, runpy, sys
from contextlib import redirect_stderr, redirect_stdout
script = sys.argv[1]
for line in sys.stdin:
    sys.argv = [script, *json.loads(line)]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            runpy.run_path(script, run_name='__main__')
        except SystemExit as end:
            code = end.code
    print(json.dumps({'out': out.getvalue(), 'error': err.getvalue() if code else None}), flush=True)
`;

const python = spawn('python3', ['-c', SERVER, join(folder, 'rosidl_parser', 'parser.py')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const waiting = [];
createInterface(python.stdout).on('line', (line) => {
  const { resolve, reject, file } = waiting.shift();
  const { out, error } = JSON.parse(line);
  if (error === null) resolve(parser._parseJSONObject(out));
  else reject(new Error(`${file}: ${error}`));
});
python.on('close', () => {
  for (const { reject } of waiting) reject(new Error('the Python that parses definitions has ended'));
});

parser._parseFile = (command, packageName, file) =>
  new Promise((resolve, reject) => {
    waiting.push({ resolve, reject, file });
    python.stdin.write(`${JSON.stringify([command, packageName, file])}\n`);
  });

generator.generateAll(true).then(
  () => python.stdin.end(),
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
