import {join} from 'node:path';
import {wordsOf} from '../../core/names.ts';

/** Files and folders in the person's home with keys, tokens or command histories. */
const ofPerson = [
	...wordsOf(`
	.ssh .gnupg .aws .azure .kube .docker .netrc .authinfo .authinfo.gpg .git-credentials .npmrc .yarnrc
	.yarnrc.yml .pypirc .pgpass .my.cnf .boto .s3cfg .vault-token .terraformrc .terraform.d
	.password-store .op .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml
	.m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet .config/gh .config/glab-cli
	.config/hub .config/tea .config/git/credentials .config/gcloud .config/op .config/rclone
	.config/containers .config/helm .config/sops .config/age .config/doctl .config/heroku
	.config/Bitwarden .config/google-chrome .config/chromium .config/BraveSoftware .config/Slack
	.config/Signal .local/share/keyrings .local/share/kwalletd .config/fly .config/hcloud
	.config/configstore .config/Code .config/Cursor .config/microsoft-edge .config/vivaldi
	.local/share/atuin .local/share/containers .pulumi .oci .tsh .composer/auth.json .cache/huggingface
	.Xauthority .var/app snap .colima .rd .orbstack .1password .mozilla .thunderbird .claude
	.claude.json .codex .gemini .bash_history .zsh_history .python_history .node_repl_history
	.psql_history .mysql_history .local/share/fish/fish_history Library/Keychains Library/Cookies
	Library/Safari Library/Mail Library/Messages
`),
	'.config/Bitwarden CLI',
	'Library/Group Containers',
	...['BraveSoftware', 'Firefox', 'Google/Chrome', 'Slack'].map(
		name => `Library/Application Support/${name}`,
	),
];

/** The machine's secrets. */
const ofMachine = wordsOf(`
	/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/security
	/etc/ssh /etc/ssl/private /etc/pki/tls/private /etc/krb5.keytab /etc/NetworkManager /etc/wireguard
	/etc/kubernetes /etc/docker /etc/rancher /var/lib/docker /var/lib/containerd /var/lib/kubelet
	/var/spool/cron /Library/Keychains /private/var/db/dslocal
`);

/** Variables with the paths of such files or folders elsewhere. */
const variables = wordsOf(`
	GNUPGHOME AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AWS_WEB_IDENTITY_TOKEN_FILE AZURE_CONFIG_DIR
	CLOUDSDK_CONFIG GOOGLE_APPLICATION_CREDENTIALS DOCKER_CONFIG KUBECONFIG HISTFILE CARGO_HOME HF_HOME
	TF_CLI_CONFIG_FILE GIT_CONFIG_GLOBAL XAUTHORITY GH_CONFIG_DIR NETRC NPM_CONFIG_USERCONFIG
	npm_config_userconfig PIP_CONFIG_FILE PGPASSFILE PASSWORD_STORE_DIR REGISTRY_AUTH_FILE
	SOPS_AGE_KEY_FILE SSH_AUTH_SOCK XDG_RUNTIME_DIR
`);

/** Variables that relocate `.config` and the like. */
const movable = {
	XDG_CONFIG_HOME: '.config/',
	XDG_DATA_HOME: '.local/share/',
	XDG_CACHE_HOME: '.cache/',
};

const moved = (environment: Readonly<Record<string, string | undefined>>): readonly string[] =>
	Object.entries(movable).flatMap(([variable, folder]) => {
		const place = environment[variable] ?? '';
		return ofPerson
			.filter(path => place.startsWith('/') && path.startsWith(folder))
			.map(path => join(place, path.slice(folder.length)));
	});

/**
 * Absolute paths inaccessible to every sandbox, even if listed. Links are not resolved: the caller adds their targets. `homes`: svc's data folders; the root of
 * all profiles suffices.
 *
 * @see manual/sandbox.md#out-of-reach
 */
export const protectedPlaces = ({
	userHome,
	homes,
	environment,
}: {
	readonly userHome: string;
	readonly homes: readonly string[];
	readonly environment: Readonly<Record<string, string | undefined>>;
}): readonly string[] => [
	...homes,
	...ofPerson.map(path => join(userHome, path)),
	...moved(environment),
	...ofMachine,
	...variables.flatMap(name =>
		// KUBECONFIG is a list.
		(environment[name] ?? '').split(':').filter(path => path.startsWith('/') && path !== '/'),
	),
];
