import { messageOf } from '../message-of.ts';
import type { Rcl, RosActionServer, RosContext, RosNode, RosParameter, RosResponse, RosService } from './rclnodejs.ts';
import type { ResponseSender } from './responses.ts';

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
  responses: ResponseSender,
  onError: (error: unknown) => void,
): RosNode {
  class GuardedNode extends Node {
    override createService<Request>(
      type: string,
      service: string,
      callback: (request: Request, ...more: unknown[]) => Promise<object | undefined>,
    ): RosService {
      return super.createService(type, service, async (request: Request, ...more: unknown[]) => {
        const response = more[0] as RosResponse;
        // The services of rclnodejs itself respond by this, those of the bridge by what they return.
        const send = response.send.bind(response);
        response.send = (fields) => {
          responses.send(() => send(fields));
          response.sent = true;
        };
        try {
          if (type in REFUSALS) mendIntegers(request as SetRequest);
          const answer = await callback(request, response);
          if (!response.sent && answer) response.send(answer);
        } catch (error) {
          onError(error);
          if (!response.sent) response.send(REFUSALS[type]?.(request, messageOf(error)) ?? {});
        }
        return undefined;
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
  responses: ResponseSender,
  onError: (error: unknown) => void,
  ...parts: ConstructorParameters<typeof ActionServer<Goal>>
): RosActionServer {
  class GuardedActionServer extends ActionServer<Goal> {
    override processGoalRequest(header: unknown, request: unknown): void {
      responses.handleGoalRequest(() => super.processGoalRequest(header, request));
    }

    override async _executeCancelRequest(header: unknown, request: unknown): Promise<void> {
      await super._executeCancelRequest(header, request).catch(onError);
    }

    override _sendResultResponse(header: unknown, result: unknown): void {
      try {
        responses.send(() => super._sendResultResponse(header, result));
      } catch (error) {
        onError(error);
      }
    }
  }
  return new GuardedActionServer(...parts);
}
