import {defaultPort} from '../core/hosts.ts';

/** The `config.yaml` written at first use: everything disabled except a receiver on this machine, with comments on the next steps. */
export const firstConfig =
	(): string => `# Configuration of svc. "svc config check" checks it, "svc config schema" describes every key.
# A gateway that runs takes changes at once; host and port need a restart.
# Secrets belong into the file .env beside this one; refer to them as \${NAME}.

platforms:
  webhook:
    enabled: true
    # 0.0.0.0 accepts events from other machines.
    host: 127.0.0.1
    # Without this line WEBHOOK_PORT counts, where it is set, and else this number.
    # port: ${defaultPort}
    # Secret of routes that have none of their own.
    # secret: \${WEBHOOK_SECRET}
    # Routes that stand here cannot be changed by "svc webhook subscribe", which keeps its own file.
    # routes:
    #   pull-requests:
    #     events: [pull_request]
    #     prompt: "Review pull request {pull_request.number}: {pull_request.title}"
    #     deliver: log

model:
  # auto: a provider whose key is set, else a model server on this machine, else a rule-based digest.
  provider: auto
`;
