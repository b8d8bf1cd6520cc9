/** What makes `gh` and git inside a sandbox find the broker. */
export type ForgeInside = {
	/** Texts of the files of the configuration folder, by name. */
	readonly files: Readonly<Record<string, string>>;
	readonly environment: Readonly<Record<string, string>>;
};

/** `gh` does not start without a token; the broker takes it for nothing. */
const placeholder = 'placeholder-the-broker-has-the-token';

/**
 * The configuration of `gh` and git inside. `gh` speaks to the socket itself; git cannot, so that it goes to `port` of 127.0.0.1, which the forwarder leads to the socket.
 *
 * @param place.socket path of the broker's socket inside
 * @param place.folder path of the configuration folder inside
 * @see manual/sandbox-network.md#forge
 */
export function forgeInside(
	host: string,
	{socket, folder, port}: {readonly socket: string; readonly folder: string; readonly port: number},
): ForgeInside {
	const local = `http://127.0.0.1:${port}/`;
	const settings = [
		...[`https://${host}/`, `http://${host}/`, `git@${host}:`, `ssh://git@${host}/`].map(url => [
			`url.${local}.insteadOf`,
			url,
		]),
		// The way to the broker is no way out: no proxy is on it.
		[`http.${local}.proxy`, ''],
		['credential.helper', ''],
	];
	return {
		files: {
			// Without a version newer clients would bring the folder into another form, and nothing can be written in it.
			'config.yml': `version: "1"\nhttp_unix_socket: ${JSON.stringify(socket)}\ngit_protocol: https\nprompt: disabled\n`,
			'hosts.yml': `${JSON.stringify(host)}:\n  user: svc\n  oauth_token: ${placeholder}\n  git_protocol: https\n`,
		},
		environment: {
			GH_CONFIG_DIR: folder,
			GH_HOST: host,
			GH_PROMPT_DISABLED: '1',
			GH_NO_UPDATE_NOTIFIER: '1',
			GIT_TERMINAL_PROMPT: '0',
			GIT_CONFIG_COUNT: String(settings.length),
			...Object.fromEntries(
				settings.flatMap(([key = '', value = ''], index) => [
					[`GIT_CONFIG_KEY_${index}`, key],
					[`GIT_CONFIG_VALUE_${index}`, value],
				]),
			),
		},
	};
}
