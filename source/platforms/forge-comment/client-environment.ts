import {networkVariables} from '../../core/network-variables.ts';

type Environment = Readonly<Record<string, string>>;

/** Where programs, their settings and keyrings are. */
const passedOn =
	/^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS|GH_CONFIG_DIR|GLAB_CONFIG_DIR)$/;

/** Which host, and who we are there. */
const forgeKey = /^(?:GH|GITHUB|GITLAB|GITEA|FORGEJO|FORGE)_(?:HOST|TOKEN|ENTERPRISE_TOKEN)$/;

const quiet = {GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1'};

/**
 * The environment of the forge client: from the process what a program needs to run and log in; from the profile (its `.env` over the process)
 * proxies and certificates, the forge's host, and tokens, which are there for this client alone.
 *
 * @see manual/configuration.md#how-the-file-is-read, manual/delivery-forge-comment.md
 */
export function clientEnvironment(own: Environment, profile: Environment): Record<string, string> {
	return {
		...pick(own, passedOn),
		...networkVariables(profile),
		...pick(own, forgeKey),
		...pick(profile, forgeKey),
		...quiet,
	};
}

const pick = (environment: Environment, names: RegExp) =>
	Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
