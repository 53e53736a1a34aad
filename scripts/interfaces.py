"""Builds interface packages for the ROS 2 from PyPI: python interfaces.py PREFIX INSTALL WORK PACKAGE_FOLDER...

For each package: C messages, the type supports of Fast DDS for C, which are its own and introspection, by which it
describes a type to others, and Python messages; what rclnodejs and rclpy use. The code comes from the generators of
rosidl, as in every ROS 2. What is left out is what only programs in C++ use, of which the ROS 2 from PyPI has none: C++
messages with their type supports, CMake files and headers. `colcon build` builds all of it.

Packages are built side by side, each generator once in one process, each library from one file that includes all of its
sources: compiling them one by one takes ten times as long.
"""
import functools
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ElementTree

import numpy

from ament_index_python import get_package_share_directory
from rosidl_cli.command.hash.api import generate_type_hashes
from rosidl_cli.command.helpers import (
    generate_visibility_control_file,
    generator_arguments_file,
    legacy_generator_arguments,
)
from rosidl_cli.command.translate.api import translate
from rosidl_generator_c import generate_c
from rosidl_generator_py.cli import GeneratePython
from rosidl_parser import parser
from rosidl_typesupport_c.cli import GenerateCTypesupport
from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport
from rosidl_typesupport_introspection_c.cli import GenerateIntrospectionCTypesupport

# Each generator parses each definition, which takes longer than all that it does with it.
parser.get_ast_from_idl_string = functools.cache(parser.get_ast_from_idl_string)

KINDS = ('action', 'msg', 'srv')
SUPPORTS = ['rosidl_typesupport_fastrtps_c', 'rosidl_typesupport_introspection_c']


def build(prefix, install, work, folder):
    """Generates, compiles and installs one package."""
    manifest = ElementTree.parse(folder / 'package.xml')
    name = manifest.findtext('name')
    definitions = sorted(file.relative_to(folder) for kind in KINDS for file in (folder / kind).glob(f'*.{kind}'))
    work = work / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    generate(prefix, work, name, folder, definitions)
    compile_all(prefix, install, work, name)
    share = install / 'share' / name
    for file in definitions:
        copy(folder / file, share / file)
        for kind, suffix in (('idl', '.idl'), ('hashes', '.json')):
            path = file.with_suffix(suffix)
            copy(work / kind / path, share / path)
    copy(folder / 'package.xml', share / 'package.xml')
    listed = sorted(str(path) for file in definitions for path in (file, file.with_suffix('.idl')))
    resources = {
        'packages': '',
        'package_run_dependencies': ';'.join(
            entry.text for kind in ('depend', 'exec_depend') for entry in manifest.findall(kind)
        ),
        'rosidl_interfaces': '\n'.join(listed),
    }
    for resource, text in resources.items():
        file = install / 'share' / 'ament_index' / 'resource_index' / resource / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def generate(prefix, work, name, folder, definitions):
    """Writes the sources, and beside them the definitions as IDL and their hashes."""
    index = prefix / 'share' / 'ament_index' / 'resource_index' / 'rosidl_interfaces'
    known = [str(prefix / 'share' / package.name) for package in index.iterdir()]
    files = [f'{folder}:{file}' for file in definitions]
    idl = translate(
        package_name=name, interface_files=files, include_paths=known, output_format='idl', output_path=work / 'idl'
    )
    generate_type_hashes(package_name=name, interface_files=idl, include_paths=known, output_path=work / 'hashes')
    generate_c_messages(work, name, folder, definitions, idl, known)
    GenerateFastRTPSCTypesupport('fastrtps_c').generate(name, idl, known, work / 'fastrtps_c' / name)
    GenerateIntrospectionCTypesupport('introspection_c').generate(name, idl, known, work / 'introspection_c' / name)
    GenerateCTypesupport('typesupport_c', typesupport_implementations=SUPPORTS).generate(
        name, idl, known, work / 'typesupport_c' / name
    )
    bound = ['rosidl_typesupport_c']
    GeneratePython('py', typesupport_implementations=bound).generate(name, idl, known, work / 'py' / name)


def generate_c_messages(work, name, folder, definitions, idl, known):
    """Does what GenerateC of rosidl_generator_c does, which tells types by their names alone, though a message and an
    action may share one, and which calls the IDL the source of a type that people wrote as .msg, .srv or .action."""
    output = work / 'c' / name
    templates = pathlib.Path(get_package_share_directory('rosidl_generator_c')) / 'resource'
    generate_visibility_control_file(
        package_name=name,
        template_path=templates / 'rosidl_generator_c__visibility_control.h.in',
        output_path=output / 'msg' / 'rosidl_generator_c__visibility_control.h',
    )
    hashes = [(file.with_suffix('.idl'), work / 'hashes' / file.with_suffix('.json')) for file in definitions]
    with generator_arguments_file(
        **legacy_generator_arguments(
            package_name=name, interface_files=idl, include_paths=known, templates_path=templates, output_path=output
        ),
        type_description_tuples=[f'{definition}:{file}' for definition, file in hashes],
        ros_interface_files=[str(folder / file) for file in definitions],
    ) as arguments:
        generate_c(arguments)


def compile_all(prefix, install, work, name):
    """Compiles the sources and installs libraries and Python modules."""
    lib = install / 'lib'
    site = lib / f'python{sys.version_info[0]}.{sys.version_info[1]}' / 'site-packages'
    lib.mkdir(parents=True, exist_ok=True)
    includes = [f'-I{work / kind}' for kind in ('c', 'fastrtps_c', 'introspection_c')]
    includes += [f'-isystem{folder}' for folder in include_folders(prefix)]

    def library(target, sources, linked, apart=(), language='c++', flags=()):
        whole = work / f'{target.name}.{"cpp" if language == "c++" else "c"}'
        whole.write_text(''.join(f'#include "{source}"\n' for source in sorted(sources)))
        command = ['c++' if language == 'c++' else 'cc', '-shared', '-fPIC', '-O1', '-w', *includes, *flags]
        command += ['-o', target, whole, *sorted(apart)]
        # As an RPATH, since only that counts for what the needed libraries need in turn; relative to the library, so that
        # a copy finds its own.
        here = os.path.relpath(lib, target.parent)
        command += [f'-Wl,-soname,{target.name},--disable-new-dtags,-rpath,$ORIGIN/{here}:{prefix / "lib"}']
        command += ['-Wl,--as-needed', *linked]
        if subprocess.run([str(part) for part in command]).returncode != 0:
            raise RuntimeError(f'{target.name} does not compile')
        return target

    def known(kind):
        return sorted((prefix / 'lib').glob(f'lib*__{kind}.so'))

    def named(*names):
        return [prefix / 'lib' / f'lib{each}.so' for each in names]

    whole = ['-Wl,--no-undefined']
    c = work / 'c'
    messages = library(
        lib / f'lib{name}__rosidl_generator_c.so',
        [*c.rglob('*__functions.c'), *c.rglob('*__type_support.c')],
        [*known('rosidl_generator_c'), *named('rosidl_runtime_c', 'rcutils'), *whole],
        # Each has its own copies of what the others have.
        apart=c.rglob('*__description.c'),
        language='c',
    )
    fastrtps = library(
        lib / f'lib{name}__rosidl_typesupport_fastrtps_c.so',
        (work / 'fastrtps_c').rglob('*.cpp'),
        [
            messages,
            *known('rosidl_generator_c'),
            *known('rosidl_typesupport_fastrtps_c'),
            *named('rosidl_typesupport_fastrtps_c', 'rosidl_typesupport_fastrtps_cpp', 'fastcdr', 'rmw'),
            *named('rosidl_runtime_c', 'rcutils'),
            *whole,
        ],
    )
    introspection = library(
        lib / f'lib{name}__rosidl_typesupport_introspection_c.so',
        (work / 'introspection_c').rglob('*.c'),
        [
            messages,
            *known('rosidl_generator_c'),
            *known('rosidl_typesupport_introspection_c'),
            *named('rosidl_typesupport_introspection_c', 'rosidl_runtime_c', 'rcutils'),
            *whole,
        ],
        language='c',
    )
    support = library(
        lib / f'lib{name}__rosidl_typesupport_c.so',
        (work / 'typesupport_c').rglob('*.cpp'),
        [
            messages,
            *known('rosidl_typesupport_c'),
            *named('rosidl_typesupport_c', 'rosidl_runtime_c', 'rcutils'),
            # It opens them by name alone, which finds them wherever they are once they are loaded.
            '-Wl,--no-as-needed',
            fastrtps,
            introspection,
            *whole,
        ],
    )
    python = [f'-I{sysconfig.get_path("include")}', f'-I{numpy.get_include()}']
    binding = library(
        lib / f'lib{name}__rosidl_generator_py.so',
        (work / 'py').rglob('*_s.c'),
        [messages, *known('rosidl_generator_c'), *known('rosidl_generator_py'), *named('rosidl_runtime_c')],
        language='c',
        flags=python,
    )
    (work / 'py' / name / '__init__.py').touch()
    shutil.copytree(work / 'py' / name, site / name, ignore=shutil.ignore_patterns('*.c', 'tmp'), dirs_exist_ok=True)
    library(
        site / name / f'{name}_s__rosidl_typesupport_c{sysconfig.get_config_var("EXT_SUFFIX")}',
        (work / 'py').rglob('*.ep.rosidl_typesupport_c.c'),
        [messages, support, binding, *named('rosidl_typesupport_c', 'rosidl_runtime_c')],
        language='c',
        flags=python,
    )


def include_folders(prefix):
    """Folders of headers: each package has its own, but some stand in the folder that all share."""
    include = prefix / 'include'
    return [include, *sorted(folder for folder in include.iterdir() if folder.is_dir())]


def copy(source, target):
    """Copies a file to a folder that may not be there yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


if __name__ == '__main__':
    prefix, install, work, *folders = map(pathlib.Path, sys.argv[1:])
    with multiprocessing.Pool(len(folders)) as pool:
        pool.starmap(build, [(prefix, install, work, folder) for folder in folders])
