import {readdir, readFile, writeFile} from 'node:fs/promises';
import {homePaths} from '../../../source/config/home-paths.ts';
import {loadConfig} from '../../../source/config/load-config.ts';
import {type Clock, systemClock} from '../../../source/core/clock.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import type {LoginAttempt, LoginFlow} from '../../../source/core/logins.ts';
import {openLoginDesk} from '../../../source/gateway/servers/open-login-desk.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const place = {server: 'crm', profile: 'default'};

/** A home whose tool server `crm` is at `url`, and the desk of a person's process. */
export async function loginWorld({
	url,
	oauth = {},
	clock = systemClock,
	environment = {},
	home: given,
}: {
	readonly url: string;
	readonly oauth?: JsonObject;
	readonly clock?: Clock;
	readonly environment?: Readonly<Record<string, string>>;
	/** Of another world. */
	readonly home?: string;
}) {
	const stack = new AsyncDisposableStack();
	const home = given ?? stack.use(await temporaryHome()).path;
	const variables = {SVC_HOME: home, ...environment};
	const paths = homePaths({environment: variables});
	const write = async (settings: JsonObject, at = url) =>
		writeFile(
			paths.config,
			JSON.stringify({mcp_servers: {crm: {url: at, auth: 'oauth', oauth: settings}}}),
		);
	await write(oauth);
	const desk = stack.use(
		openLoginDesk({
			clock,
			environment: variables,
			config() {
				const loaded = loadConfig({paths, environment: variables});
				if (!loaded.ok) {
					throw new Error(JSON.stringify(loaded.problems));
				}

				return loaded.config;
			},
		}),
	);
	const shown = (): LoginAttempt | undefined => desk.attempts()[0];

	return {
		home,
		desk,
		place,
		write,
		shown,
		start(flow?: LoginFlow) {
			desk.start(place, {...(flow && {flow})});
		},
		paste: (text: string) => desk.paste(place, text),
		cancel() {
			desk.cancel(place);
		},
		/** Resolves with what is shown as soon as it is such. */
		async until(isSuch: (attempt: LoginAttempt) => boolean): Promise<LoginAttempt> {
			return new Promise(resolve => {
				let stop = () => {};
				const look = () => {
					const attempt = shown();
					if (attempt && isSuch(attempt)) {
						stop();
						resolve(attempt);
					}
				};

				stop = desk.subscribe(look);
				look();
			});
		},
		async over(): Promise<LoginAttempt> {
			return this.until(({endedAt}) => endedAt !== undefined);
		},
		async waiting(): Promise<LoginAttempt> {
			return this.until(({status, endedAt}) => status === 'waiting' || endedAt !== undefined);
		},
		/** Names of the files of its logins. */
		files: async (): Promise<readonly string[]> => {
			const names: readonly string[] = await readdir(paths.mcpTokens).catch(() => []);
			return names.toSorted();
		},
		/** One of them, parsed. */
		async file(ending = '.json'): Promise<Record<string, string>> {
			return JSON.parse(await readFile(`${paths.mcpTokens}/crm${ending}`, 'utf8'));
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
