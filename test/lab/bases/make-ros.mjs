// node make-ros.mjs REPOSITORY PREFIX
// Makes a ROS 2 in a folder below /opt/ros as its Debian packages do: a prefix with a setup.sh to source. Beside it, in
// /opt/packages, a package server with empty packages of the names that docker/Dockerfile wants of it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [repository, path] = process.argv.slice(2);
const load = (file) => import(join(repository, 'scripts', 'lib', file));
const { findPython } = await load('platform.mjs');
const { buildPrefix, libraryFolders, locatePrefix, prefixEnvironment } = await load('ros-prefix.mjs');

const run = async (program, args, options = {}) =>
  String(execFileSync(program, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 }));
const prefix = { ...locatePrefix(repository, '/opt/cache', findPython()), path };
await buildPrefix(repository, prefix, run);
// The official image gets it as a package; tf2_msgs is left to the bridge's own preparation, which is to be tried too.
const interfaces = join(repository, 'scripts', 'interfaces.py');
const definitions = join(repository, 'interfaces', 'control_msgs');
await run(join(path, 'bin', 'python'), ['-B', interfaces, path, path, '/opt/cache/interfaces', definitions], {
  env: prefixEnvironment(prefix, process.env),
});

const site = `${libraryFolders(prefix)[0]}/python3.${prefix.python.minor}/site-packages`;
const put = (name, value) => `export ${name}="${value}\${${name}:+:$${name}}"`;
writeFileSync(
  join(path, 'setup.sh'),
  [
    // Those of ROS do this, which ends a shell that takes unset variables for errors.
    'if [ -n "$AMENT_TRACE_SETUP_FILES" ]; then echo "# setup.sh"; fi',
    put('AMENT_PREFIX_PATH', path),
    put('CMAKE_PREFIX_PATH', path),
    put('PATH', join(path, 'bin')),
    put('LD_LIBRARY_PATH', libraryFolders(prefix).join(':')),
    put('PYTHONPATH', site),
    `export ROS_DISTRO=${basename(path)} ROS_VERSION=2 ROS_PYTHON_VERSION=3`,
    '',
  ].join('\n'),
);

for (const kind of ['control-msgs', 'tf2-msgs', 'foxglove-bridge']) {
  const name = `ros-${basename(path)}-${kind}`;
  const control = `Package: ${name}\nVersion: 0.0.0\nArchitecture: all\nMaintainer: nobody <nobody@invalid>\nDescription: stands in\n`;
  mkdirSync('/opt/packages/draft/DEBIAN', { recursive: true });
  writeFileSync('/opt/packages/draft/DEBIAN/control', control);
  await run('dpkg-deb', ['--build', '/opt/packages/draft', `/opt/packages/${name}.deb`]);
  await run('rm', ['-r', '/opt/packages/draft']);
}
writeFileSync('/opt/packages/Packages', await run('dpkg-scanpackages', ['.'], { cwd: '/opt/packages' }));
