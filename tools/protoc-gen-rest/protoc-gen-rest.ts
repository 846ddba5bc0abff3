/**
 * The plugin that turns `google.api.http` and our options into the HTTP interface: the route table, the list of services
 * and the OpenAPI document. buf runs it over all files at once (`strategy: all`), since routes of two files may conflict.
 */

import type { DescService } from '@bufbuild/protobuf';
import { createEcmaScriptPlugin, runNodeJs, type Schema } from '@bufbuild/protoplugin';
import { collectRoutes } from './collect-routes.ts';
import { describeInterface } from './openapi.ts';
import { printRoutes, printServices } from './print.ts';

function generateTs(schema: Schema): void {
  const services: DescService[] = schema.files.flatMap((file) => file.services);
  const routes = collectRoutes(services);
  const table = schema.generateFile('routes.ts');
  table.preamble(services[0].file);
  table.print(printRoutes(routes));
  const list = schema.generateFile('services.ts');
  list.preamble(services[0].file);
  list.print(printServices(services));
  schema
    .generateFile('openapi.json')
    .print(JSON.stringify(describeInterface(services, routes), undefined, 2));
}

runNodeJs(createEcmaScriptPlugin({ name: 'protoc-gen-rest', version: 'v1', generateTs }));
