/**
 * The standard reflection service over our descriptors, so that stock gRPC tools need no proto files.
 *
 * It is made with the first call: that takes a tenth of a service's start, and most services are never asked.
 */

import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { handleBidiStreamingCall, Server, ServiceDefinition } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';

/** Both are spoken: older tools know the second alone. */
const serviceNames = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'];
const methodName = 'ServerReflectionInfo';

type Method = ServiceDefinition[string] & { implement: handleBidiStreamingCall<object, object> };

export function addReflection(server: Server, services: readonly DescService[]): void {
  let made: ReadonlyMap<string, Method> | undefined;
  for (const name of serviceNames) {
    const path = `/${name}/${methodName}`;
    const method = (): Method => {
      made ??= makeMethods(services);
      return made.get(path)!;
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

/** By their paths. */
function makeMethods(services: readonly DescService[]): Map<string, Method> {
  const files = new Map<string, Buffer>();
  for (const { file } of services) addFile(file, files);
  const all = { fileDescriptorProtos: [...files.values()] };
  const methods = new Map<string, Method>();
  const collector: Pick<Server, 'addService'> = {
    addService(definition, implementation) {
      const implement = implementation[methodName] as Method['implement'];
      methods.set(definition[methodName].path, { ...definition[methodName], implement });
    },
  };
  new ReflectionService({ all } as unknown as PackageDefinition).addToServer(collector);
  return methods;
}

function addFile(file: DescFile, files: Map<string, Buffer>): void {
  if (files.has(file.proto.name)) return;
  files.set(file.proto.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  for (const dependency of file.dependencies) addFile(dependency, files);
}
