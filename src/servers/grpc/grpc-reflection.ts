/**
 * The standard reflection service over the descriptors, so that gRPC tools need no proto files. It is created by its first
 * call: creation takes a tenth of the service's start.
 */

import { type DescFile, type DescService, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { handleBidiStreamingCall, Server, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { protoPath as healthPath } from 'grpc-health-check';
import { file_personalisation_rest_v1_status as errorDetails } from '../../../gen/es/personalisation/rest/v1/status_pb.js';

/** Older tools know v1alpha alone. */
const serviceNames = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'];
const methodName = 'ServerReflectionInfo';

type Method = ServiceDefinition[string] & { implement: handleBidiStreamingCall<object, object> };

export function addReflection(server: Server, services: readonly DescService[]): void {
  let methods: ReadonlyMap<string, Method> | undefined;
  for (const name of serviceNames) {
    const path = `/${name}/${methodName}`;
    const method = (): Method => {
      methods ??= createMethods(services);
      return methods.get(path)!;
    };
    const definition: ServiceDefinition = {
      [methodName]: {
        path,
        requestStream: true,
        responseStream: true,
        requestSerialize: (message) => method().requestSerialize(message),
        requestDeserialize: (bytes) => method().requestDeserialize(bytes),
        responseSerialize: (message) => method().responseSerialize(message),
        responseDeserialize: (bytes) => method().responseDeserialize(bytes),
      },
    };
    const implement: Method['implement'] = (stream) => method().implement(stream);
    server.addService(definition, { [methodName]: implement });
  }
}

type PackageDefinition = ConstructorParameters<typeof ReflectionService>[0];

/** Returns the reflection methods by path. */
function createMethods(services: readonly DescService[]): Map<string, Method> {
  const files = new Map<string, Buffer>();
  for (const { file } of services) addFile(file, files);
  addFile(errorDetails, files);
  const fileDescriptorProtos = [...files.values(), describeDetails()];
  const packageDefinition = { all: { fileDescriptorProtos }, ...loadSync(healthPath) } as object;
  const methods = new Map<string, Method>();
  const collector: Pick<Server, 'addService'> = {
    addService(definition, implementation) {
      const implement = implementation[methodName] as Method['implement'];
      methods.set(definition[methodName].path, { ...definition[methodName], implement });
    },
  };
  new ReflectionService(packageDefinition as PackageDefinition).addToServer(collector);
  return methods;
}

/** Describes the details of errors under the names that they have on the wire. */
function describeDetails(): Buffer {
  const { proto, dependencies } = errorDetails;
  const own = JSON.stringify(toJson(FileDescriptorProtoSchema, proto));
  const renamed = own
    .replaceAll('personalisation.rest.v1', 'google.rpc')
    .replace(proto.name, 'google/rpc/error_details.proto');
  const file = fromJson(FileDescriptorProtoSchema, JSON.parse(renamed));
  file.dependency = dependencies.map((dependency) => dependency.proto.name);
  return Buffer.from(toBinary(FileDescriptorProtoSchema, file));
}

function addFile(file: DescFile, files: Map<string, Buffer>): void {
  if (files.has(file.proto.name)) return;
  files.set(file.proto.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  for (const dependency of file.dependencies) addFile(dependency, files);
}
