{{- define "personalisation.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "personalisation.labels" -}}
app.kubernetes.io/name: personalisation
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "personalisation.selector" -}}
app.kubernetes.io/name: personalisation
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "personalisation.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The deployment file, with the proxies in it. */}}
{{- define "personalisation.deployment" -}}
{{- if not .Values.deployment.environments }}{{ fail "deployment.environments: name at least one environment." }}{{ end -}}
{{- $deployment := deepCopy .Values.deployment -}}
{{- range list "port" "grpc_port" "admin_port" "admin_host" "tls" -}}
{{- if hasKey (default dict $deployment.server) . }}{{ fail (printf "deployment.server.%s: probes and services of the chart know where nodes listen, without TLS; set service.httpPort, service.grpcPort and ingress.tlsSecret instead." .) }}{{ end -}}
{{- end -}}
{{- $server := dict "port" 8080 "grpc_port" 50051 "admin_port" 9464 "admin_host" "0.0.0.0" -}}
{{- if .Values.trustedProxies }}{{ $_ := set $server "trusted_proxies" .Values.trustedProxies }}{{ end -}}
{{- $_ := set $deployment "server" (merge (default dict $deployment.server) $server) -}}
{{ toYaml $deployment }}
{{- end -}}

{{- define "personalisation.environment" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "database.existingSecret: name the secret with the database's address." .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
- { name: DEPLOYMENT, value: /etc/personalisation/deployment.yaml }
- { name: LOG_LEVEL, value: {{ .Values.logLevel | quote }} }
- { name: NODE_OPTIONS, value: "--max-old-space-size={{ .Values.heapMegabytes }}" }
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "personalisation.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "personalisation.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "personalisation.mounts" -}}
- { name: deployment, mountPath: /etc/personalisation, readOnly: true }
- { name: data, mountPath: /app/data }
{{- if .Values.adminCredentials.existingSecret }}
- name: admin-credentials
  mountPath: /app/data/admin-credentials.json
  subPath: admin-credentials.json
  readOnly: true
{{- end }}
{{- end -}}

{{- define "personalisation.volumes" -}}
- { name: data, emptyDir: {} }
{{- with .Values.adminCredentials.existingSecret }}
- name: admin-credentials
  secret: { secretName: {{ . }} }
{{- end }}
{{- end -}}

{{- define "personalisation.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
