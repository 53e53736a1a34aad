import type { Journal } from '../arm/journal.ts';
import { ROS_OWN } from '../config/load.ts';
import { CONFIG_PARAMETERS, type ConfigParameter, parameterFault, parameterValue } from '../config/parameters.ts';
import type { Config } from '../config/schema.ts';
import { originAt } from './audit.ts';
import { clientOf } from './callers.ts';
import type { Rcl, RosNode, RosParameter } from './rclnodejs.ts';

/** Targets of parameter changes at run time. */
export interface LiveSettings {
  /** Hz */
  setRate(rate: number): void;
  setDiagnostics(thresholds: Config['ros']['diagnostics']): void;
  setLogLevel(level: Config['log']['level']): void;
}

/**
 * Declares the configuration as parameters of a node, with descriptions and ranges; parameters whose change needs a
 * restart are read-only. A refused change gets a reason.
 */
export function declareParameters(rcl: Rcl, node: RosNode, audited: Audited, config: Config, live: LiveSettings): void {
  const present = structuredClone(config);
  for (const parameter of CONFIG_PARAMETERS) {
    declare(rcl, node, parameter, parameterValue(config, parameter));
  }
  const known = new Map(CONFIG_PARAMETERS.map((parameter) => [parameter.name, parameter]));

  /** The reason for a refusal; null for an allowed change. */
  const check = (name: string, value: unknown): string | null => {
    const parameter = known.get(name);
    if (parameter === undefined) return null;
    if (parameter.live) return parameterFault(present, name, value);
    return `${name} is read when the bridge starts: give it there, by -p ${name}:=..., and start again`;
  };
  const apply = (name: string, value: unknown): void => {
    if (!known.has(name)) return;
    if (name === 'ros.joint_state_rate') {
      present.ros.joint_state_rate = value as number;
      live.setRate(present.ros.joint_state_rate);
    } else if (name === 'log.level') {
      present.log.level = value as Config['log']['level'];
      live.setLogLevel(present.log.level);
    } else {
      Object.assign(present.ros.diagnostics, { [name.slice('ros.diagnostics.'.length)]: value });
      live.setDiagnostics(present.ros.diagnostics);
    }
  };
  judge(rcl, node, audited, new Map(CONFIG_PARAMETERS.map(({ name, kind }) => [name, kind])), check, apply);
}

/** Declares one parameter. @param value its present value, whatever ROS arguments say */
export function declare(rcl: Rcl, node: RosNode, parameter: ConfigParameter, value: unknown): void {
  const { name, description, kind } = parameter;
  const type = typeOf(rcl, kind);
  const descriptor = new rcl.ParameterDescriptor(name, type, description);
  const told = { ...rangeOf(parameter), read_only: !parameter.live };
  // rclnodejs 2.2.0 omits ranges from descriptors, and lets the node itself change no parameter that it calls read-only.
  const message = descriptor.toMessage.bind(descriptor);
  descriptor.toMessage = () => Object.assign(message(), told);
  node.declareParameter(
    new rcl.Parameter(name, type, kind === 'integer' ? BigInt(value as number) : value),
    descriptor,
    true,
  );
}

/** The node whose parameters are changed, for the journal. */
export interface Audited {
  /** Full name of the node. */
  readonly nodeName: string;
  /** Name of its arm; null: the node of the process. */
  readonly arm: string | null;
  readonly journal: Journal;
}

/**
 * Puts a check in front of those of rclnodejs, which refuse without saying what is allowed. An integer is accepted
 * where a double is expected, because people type it without a point. Changes and refusals are recorded.
 * @param kinds of the parameters concerned, by name
 * @param check the reason for a refusal; null for an allowed change
 */
export function judge(
  rcl: Rcl,
  node: RosNode,
  { nodeName, arm, journal }: Audited,
  kinds: ReadonlyMap<string, ConfigParameter['kind']>,
  check: (name: string, value: unknown) => string | null,
  apply: (name: string, value: unknown) => void,
): void {
  // Whatever rclnodejs declares by itself is a boolean.
  const own = [...ROS_OWN].filter((name) => node.hasParameter(name)).map((name) => [name, 'boolean'] as const);
  const all = new Map<string, ConfigParameter['kind']>([...kinds, ...own]);
  const refusal = (name: string, type: number, value: unknown): string | null => {
    const kind = all.get(name);
    if (kind === undefined) return unknown(name, all);
    if (type === rcl.ParameterType.PARAMETER_NOT_SET) return `${name} cannot be deleted`;
    const reason = check(name, value);
    return reason ?? (type === typeOf(rcl, kind) ? null : `${name} is ${AS_TYPED[kind]}, and was given another type`);
  };
  const services = ['set_parameters', 'set_parameters_atomically'].map((service) => `${nodeName}/${service}`);
  const record = (names: readonly string[], outcome: 'done' | 'refused', message: string): void => {
    const what = `parameter ${names.join(', ')} of ${arm ?? nodeName}`;
    journal.record('configuration', arm, originAt(clientOf(node, ...services).name, what), outcome, message);
  };
  const set = node.setParametersAtomically.bind(node);
  node.setParametersAtomically = (given) => {
    const parameters = given.map((parameter) => converted(rcl, parameter, all.get(parameter.name)));
    for (const { name, type, value } of parameters) {
      const reason = refusal(name, type, plain(value));
      if (reason === null) continue;
      record([name], 'refused', reason);
      return { successful: false, reason };
    }
    const result = set(parameters);
    if (!result.successful)
      record(
        parameters.map(({ name }) => name),
        'refused',
        result.reason ?? '',
      );
    else
      for (const { name, value } of parameters) {
        apply(name, value);
        record([name], 'done', `it is ${plain(value)} now`);
      }
    return result;
  };
}

const AS_TYPED: Readonly<Record<ConfigParameter['kind'], string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  double: 'a number',
  string: 'a text',
  strings: 'a list of texts',
};

/** Most names that a refusal lists. */
const LISTED = 12;

/** rclnodejs gives integers as BigInt, which JSON and schemas reject; an exception here would end the process. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? Number(value) : value;
}

function unknown(name: string, kinds: ReadonlyMap<string, ConfigParameter['kind']>): string {
  const section = name.split('.')[0]!;
  const all = [...kinds.keys()];
  const near = all.filter((other) => other.split('.')[0] === section);
  const told = (near.length > 0 ? near : all).slice(0, LISTED).join(', ');
  return `${name} is no parameter of this node: it has ${told}${all.length > LISTED ? ' and others (ros2 param list)' : ''}`;
}

function converted(rcl: Rcl, parameter: RosParameter, kind: ConfigParameter['kind'] | undefined): RosParameter {
  const { name, type, value } = parameter;
  const { PARAMETER_DOUBLE: double, PARAMETER_INTEGER: integer } = rcl.ParameterType;
  if (kind === 'double' && type === integer) return new rcl.Parameter(name, double, Number(value));
  if (kind === 'integer' && type === double && Number.isSafeInteger(value))
    return new rcl.Parameter(name, integer, BigInt(value as number));
  return parameter;
}

function typeOf({ ParameterType }: Rcl, kind: ConfigParameter['kind']): number {
  switch (kind) {
    case 'boolean':
      return ParameterType.PARAMETER_BOOL;
    case 'integer':
      return ParameterType.PARAMETER_INTEGER;
    case 'double':
      return ParameterType.PARAMETER_DOUBLE;
    case 'strings':
      return ParameterType.PARAMETER_STRING_ARRAY;
    case 'string':
      return ParameterType.PARAMETER_STRING;
  }
}

/** The range of a parameter in the form of its descriptor. */
function rangeOf({ kind, minimum, maximum }: ConfigParameter): object {
  if (minimum === null || maximum === null) return {};
  if (kind === 'double') return { floating_point_range: [{ from_value: minimum, to_value: maximum, step: 0 }] };
  if (kind === 'integer') {
    return { integer_range: [{ from_value: BigInt(minimum), to_value: BigInt(maximum), step: 1n }] };
  }
  return {};
}
