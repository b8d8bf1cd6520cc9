import {createInterface} from 'node:readline';
import type {Config} from '../../config/config.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {type LoginAttempt, type LoginDesk, type LoginFlow, strangePage} from '../../core/logins.ts';
import {openLoginDesk} from '../../gateway/servers/open-login-desk.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {whenAskedToStop} from '../console/signals.ts';
import {servingContext} from '../home/gateway-access.ts';
import {readConfig} from '../home/receiver-facts.ts';

/** Where a command's logins belong: the configuration with the servers, and its name for the context's profile. */
export type LoginHome = {readonly config: () => Config; readonly profile: string};

/** A profile served by another home has that home's servers, but its own logins. */
export async function loginHome(context: Context): Promise<LoginHome> {
	const paths = context.paths();
	const serving = await servingContext(context);
	ensureHome(paths);
	return {
		config: () => readConfig(serving ?? context),
		profile: serving ? paths.profile : 'default',
	};
}

/** A person who logs in to servers one after the other, at a terminal or through pipes. */
export type LoginSession = AsyncDisposable & {
	/** Prints instructions on stderr, accepts pasted addresses, and resolves when the login has ended. Ctrl-C cancels every login. */
	logIn(server: string, options: {readonly flow: LoginFlow | undefined}): Promise<LoginAttempt>;
};

export function openLoginSession(
	context: Context,
	{config, profile}: LoginHome,
	open: typeof openLoginDesk = openLoginDesk,
): LoginSession {
	const {clock, environment, stdin} = context;
	const stack = new AsyncDisposableStack();
	const stop = stack.use(whenAskedToStop(context));
	const desk = stack.use(open({clock, environment, config}));
	const lines = stack.adopt(createInterface({input: stdin}), each => each.close());
	let current: string | undefined;
	void stop.asked.then(() => {
		if (current !== undefined) {
			desk.cancel({server: current, profile});
		}

		return undefined;
	});
	lines.on('line', line => {
		const {problem} =
			line.trim() === '' || current === undefined
				? {}
				: desk.paste({server: current, profile}, line);
		if (problem !== undefined) {
			tell(context, problem);
		}
	});

	return {
		async logIn(server, {flow}) {
			current = server;
			const over = overOf(desk, {context, server, profile});
			desk.start({server, profile}, {...(flow && {flow})});
			if (stop.signal.aborted) {
				desk.cancel({server, profile});
			}

			return over;
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

/** Reports each step of the login once, and resolves with its end. */
async function overOf(
	desk: LoginDesk,
	{
		context,
		server,
		profile,
	}: {readonly context: Context; readonly server: string; readonly profile: string},
): Promise<LoginAttempt> {
	const said = new Set<string>();
	return new Promise(resolve => {
		const stop = desk.subscribe(() => {
			const attempt = desk
				.attempts()
				.find(each => each.server === server && each.profile === profile);
			for (const line of attempt ? linesOf(attempt) : []) {
				if (!said.has(line)) {
					said.add(line);
					tell(context, line);
				}
			}

			if (attempt?.endedAt !== undefined) {
				stop();
				resolve(attempt);
			}
		});
	});
}

function linesOf(attempt: LoginAttempt): readonly string[] {
	const {server, status, notes, serverHost, tunnel} = attempt;
	if (status === 'starting') {
		return serverHost === '' ? notes : [`Logging in to ${server} (${serverHost})`, ...notes];
	}

	if (status !== 'waiting') {
		return status === 'finishing' ? [...notes, 'Answered; the login is being completed'] : notes;
	}

	const {url, opened, userCode, verificationUri, verificationHost} = attempt;
	const strange = strangePage(attempt);
	const caution = strange
		? [
				`! This is a page of ${strange.page}, which is not ${strange.issuer}, its authorization server: do not go there unless you expect that`,
			]
		: [];
	if (userCode !== undefined && verificationUri !== undefined) {
		return [
			...notes,
			...caution,
			`To let svc use ${serverHost}, open this page of ${verificationHost} and type the code ${userCode}:`,
			`  ${verificationUri}`,
		];
	}

	return [
		...notes,
		...caution,
		...(url === undefined
			? []
			: [
					opened ? 'The browser shows this page; agree there:' : 'Open this page, and agree there:',
					`  ${url}`,
				]),
		...(tunnel === undefined
			? []
			: [
					'The browser comes back to this machine. If it runs on another one, type there first:',
					`  ${tunnel}`,
				]),
		'Or paste here the URL that the browser ends on, and press Enter',
	];
}
