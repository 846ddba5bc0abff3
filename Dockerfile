# The service, without the embedded database: name one with DATABASE_URL.
#   docker build -t personalisation .

# What the build needs stays behind; the packages that the service uses are part of dist/.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY bin bin
COPY test/install.js test/package.json test/
COPY deploy/integrations/package.json deploy/integrations/
COPY clients/node/package.json clients/node/
COPY clients/browser/package.json clients/browser/
COPY clients/react/package.json clients/react/
RUN node test/install.js
COPY tsconfig.json ./
COPY tools tools
COPY gen gen
COPY src src
RUN node tools/build-package.ts && mkdir data

# Node alone: no shell, no package manager, and a user who may write to /app/data only.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/dist dist
COPY --from=build --chown=65532:65532 /build/data data
COPY LICENSE ./
ENV NODE_ENV=production DATA_DIR=/app/data XDG_CACHE_HOME=/app/data ADMIN_PORT=9464 ADMIN_HOST=0.0.0.0
USER 65532
VOLUME /app/data
EXPOSE 8080 50051 9464
# Where the deployment file says `server.tls`, the port speaks nothing else; whose certificate it has matters to callers.
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --retries=3 \
    CMD ["/nodejs/bin/node", "-e", "const ask = (scheme, otherwise) => require(scheme).get({ port: process.env.PORT || 8080, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', otherwise); ask('http', () => ask('https', () => process.exit(1)))"]
# As `npm start` does: little room for new objects, so that no request waits long for garbage.
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "--no-allocation-site-pretenuring", "--heap-growing-percent=50", "dist/src/command/main.js"]
CMD ["serve"]
