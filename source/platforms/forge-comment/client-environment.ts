import {networkVariables} from '../../core/network-variables.ts';
import {hostOfClient} from './pull-request.ts';

type Environment = Readonly<Record<string, string>>;

/** Variables that say where programs, their settings and keyrings are. */
const passedOn =
	/^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS|GH_CONFIG_DIR|GLAB_CONFIG_DIR)$/;

/** Variables with the host and our credentials, by the prefixes that a client reads; a client with an unknown name may belong to any host. */
const forgeKey = (cli: string): RegExp =>
	new RegExp(`^(?:${words[hostOfClient(cli) ?? 'any']}|FORGE)_(?:HOST|TOKEN|ENTERPRISE_TOKEN)$`);

const words = {
	github: 'GH|GITHUB',
	gitlab: 'GITLAB',
	gitea: 'GITEA|FORGEJO',
	any: 'GH|GITHUB|GITLAB|GITEA|FORGEJO',
} as const;

const quiet = {GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1'};

/**
 * The environment of the code host's client: from the process, what a program needs to run and log in; from the profile (its `.env` over the process), proxies and
 * certificates, the host, and only this client's tokens: `gh`, `glab` and `tea` do not get each other's.
 *
 * @see manual/configuration.md#how-the-file-is-read, manual/delivery-forge-comment.md
 */
export function clientEnvironment(
	cli: string,
	{own, profile}: {readonly own: Environment; readonly profile: Environment},
): Record<string, string> {
	const key = forgeKey(cli);
	return {
		...pick(own, passedOn),
		...networkVariables(profile),
		...pick(own, key),
		...pick(profile, key),
		...quiet,
	};
}

const pick = (environment: Environment, names: RegExp) =>
	Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
