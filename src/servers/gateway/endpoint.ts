/**
 * An rpc as a path of the HTTP interface: the fields of its request that come from the path, the query and the body, and the
 * field of its answer that is the body. Endpoints are resolved and checked once, at the start.
 */

import type { DescMethod } from '@bufbuild/protobuf';
import type { Route } from '../../../gen/rest/routes.ts';
import type { FieldPlan } from '../../formats/codec/field-plan.ts';
import { type MessagePlan, partOf, planOf } from '../../formats/codec/plan.ts';
import { findDuplicates, findRouteFaults, parametersOf } from './route-faults.ts';

/** The parts of a request message by their place in an HTTP request. */
export type RequestParts = {
  readonly path: MessagePlan;
  readonly query: MessagePlan;
  /** The properties of the body; empty where one field is the body; all fields of an rpc without a path. */
  readonly body: MessagePlan;
  /** The field that is the whole body. */
  readonly bodyField: FieldPlan | undefined;
  /** The handler reports the elements of the body's list one by one; see `partial_field` of the operation. */
  readonly judgesElements: boolean;
};

export type Endpoint = RequestParts & {
  readonly route: Route;
  readonly method: DescMethod;
  readonly response: MessagePlan;
  readonly responseField: FieldPlan | undefined;
};

/** @throws Error when the route does not fit the rpc. */
function createEndpoint(route: Route, method: DescMethod): Endpoint {
  const faults = findRouteFaults(route, method);
  if (faults.length > 0) throw new Error(`${route.operation}: ${faults.join('; ')}`);
  const response = planOf(method.output);
  return {
    ...partsOf(method, route),
    route,
    method,
    response,
    responseField: response.byName.get(route.responseField),
  };
}

/** @throws Error when two routes match one request, or an rpc is unknown. */
export function createEndpoints(
  routes: readonly Route[],
  methodOf: (operation: string) => DescMethod | undefined,
): Endpoint[] {
  for (const [first, second] of findDuplicates(routes))
    throw new Error(`${second.operation}: ${second.httpMethod} ${second.path} is ${first.operation} already`);
  return routes.map((route) => {
    const method = methodOf(route.operation);
    if (method === undefined) throw new Error(`${route.operation}: there is no such operation`);
    return createEndpoint(route, method);
  });
}

/** @param route Undefined for an rpc without a path. */
export function partsOf(method: DescMethod, route: Route | undefined): RequestParts {
  const plan = planOf(method.input);
  if (route === undefined)
    return {
      path: partOf(plan, none),
      query: partOf(plan, none),
      body: plan,
      bodyField: undefined,
      judgesElements: false,
    };
  const inPath = new Set(parametersOf(route.path));
  const others = plan.fields.filter((field) => !inPath.has(field.name) && field.name !== route.body);
  const inQuery = others.filter((field) => route.body !== '*' && !field.grpcOnly);
  const inBody = others.filter((field) => route.body === '*' || field.grpcOnly);
  return {
    path: partOf(plan, inPath),
    query: partOf(plan, namesOf(inQuery)),
    body: partOf(plan, namesOf(inBody)),
    bodyField: plan.byName.get(route.body),
    judgesElements: route.partialField !== '',
  };
}

const none: ReadonlySet<string> = new Set();

function namesOf(fields: readonly FieldPlan[]): Set<string> {
  return new Set(fields.map((field) => field.name));
}
