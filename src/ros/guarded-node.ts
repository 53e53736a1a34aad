import { messageOf } from '../message-of.ts';
import type { Rcl, RosActionServer, RosContext, RosNode, RosParameter, RosService } from './rclnodejs.ts';

/** The fields read from a rcl_interfaces/srv/SetParameters request. */
interface SetRequest {
  readonly parameters: readonly { readonly value: { integer_array_value: Iterable<number | bigint> } }[];
}

/** Response of a failed rclnodejs service, for types with a field for a reason. Others respond empty, as in rclcpp. */
const REFUSALS: Readonly<Record<string, (request: unknown, reason: string) => object>> = {
  'rcl_interfaces/srv/SetParameters': (request, reason) => ({
    results: (request as SetRequest).parameters.map(() => ({ successful: false, reason })),
  }),
  'rcl_interfaces/srv/SetParametersAtomically': (_, reason) => ({ result: { successful: false, reason } }),
};

/** rclnodejs 2.2.0 delivers lists of integers as numbers, but accepts integers only as BigInt. */
function mendIntegers({ parameters }: SetRequest): void {
  for (const { value } of parameters) value.integer_array_value = Array.from(value.integer_array_value, BigInt);
}

/**
 * Makes a node that no message of another node can crash. Exceptions of rclnodejs while it handles a message, for
 * example a parameter without a name or a response that its client cannot take, would otherwise be uncaught errors.
 * @param onError called with the exception
 */
export function makeGuardedNode(
  { Node }: Rcl,
  name: string,
  namespace: string,
  context: RosContext,
  parameterOverrides: readonly RosParameter[],
  onError: (error: unknown) => void,
): RosNode {
  class GuardedNode extends Node {
    override createService<Request>(
      type: string,
      service: string,
      callback: (request: Request, ...more: unknown[]) => Promise<object | undefined>,
    ): RosService {
      return super.createService(type, service, (request: Request, ...more: unknown[]) => {
        try {
          if (type in REFUSALS) mendIntegers(request as SetRequest);
          return callback(request, ...more);
        } catch (error) {
          onError(error);
          return Promise.resolve(REFUSALS[type]?.(request, messageOf(error)) ?? {});
        }
      });
    }

    /** Handles pending messages. Those left by an exception are handled next time. */
    override execute(handles: readonly unknown[]): void {
      try {
        super.execute(handles);
      } catch (error) {
        onError(error);
      }
    }
  }
  return new GuardedNode(name, namespace, context, { parameterOverrides });
}

/** Makes an action server likewise: exceptions in its responses would otherwise be unhandled rejections. */
export function makeGuardedActionServer<Goal>(
  { ActionServer }: Rcl,
  onError: (error: unknown) => void,
  ...parts: ConstructorParameters<typeof ActionServer<Goal>>
): RosActionServer {
  class GuardedActionServer extends ActionServer<Goal> {
    override async _executeCancelRequest(header: unknown, request: unknown): Promise<void> {
      await super._executeCancelRequest(header, request).catch(onError);
    }

    override _sendResultResponse(header: unknown, result: unknown): void {
      try {
        super._sendResultResponse(header, result);
      } catch (error) {
        onError(error);
      }
    }
  }
  return new GuardedActionServer(...parts);
}
