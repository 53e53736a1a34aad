"""
Stand-ins for libraries that a foreign client imports and that what is tried of it does not use: physics, cameras, data sets,
accounts. Whatever is asked of such a module is a class that can be called, inherited from and raised, and does nothing.
"""

import abc
import importlib.abc
import importlib.machinery
import sys
import types


class Meta(abc.ABCMeta):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn


class StandIn(Exception, metaclass=Meta):
    def __init__(self, *_args, **_keywords):
        pass

    def __call__(self, *_args, **_keywords):
        return StandIn()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    @classmethod
    def __get_pydantic_core_schema__(cls, _source, _handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()


class Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = frozenset(names)

    def find_spec(self, name, _path=None, _target=None):
        if name.partition(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, _module):
        pass


def replace(*names):
    """From now on imports of these top-level modules, and of all below them, give stand-ins."""
    sys.meta_path.insert(0, Finder(names))
