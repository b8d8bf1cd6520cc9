import {createInterface} from 'node:readline';
import {basePaths, ensureHome} from '../../config/home-paths.ts';
import {SvcError} from '../../core/errors.ts';
import type {LoginAttempt, LoginDesk, LoginFlow, LoginPlace} from '../../core/logins.ts';
import {openLoginDesk} from '../../gateway/open-login-desk.ts';
import type {Context} from '../context.ts';
import {printJson, printLines, tell} from '../print.ts';
import {servingHome} from '../serving-home.ts';
import {whenAskedToStop} from '../signals.ts';
import {readConfig} from '../webhook/receiver-facts.ts';

/** `svc mcp login`: logs in to one server, with a person at this terminal or behind its pipes. @throws SvcError */
export async function logIn(
	context: Context,
	{
		name,
		flow,
		json,
	}: {readonly name: string; readonly flow: LoginFlow | undefined; readonly json: boolean},
): Promise<void> {
	const {desk: opened, profile} = await openDesk(context);
	await using desk = opened;
	const attempt = await watchLogin(context, {desk, place: {server: name, profile}, flow});
	if (attempt.status !== 'succeeded') {
		throw new SvcError(
			attempt.status === 'cancelled' ? 'interrupted' : 'login_failed',
			attempt.reason ?? 'The login was cancelled',
		);
	}

	if (json) {
		printJson(context, {server: name, flow: attempt.flow, status: attempt.status});
	} else {
		printLines(context, [`Logged in to ${name} (${attempt.serverHost})`]);
	}
}

/** The desk of this process, over the configuration that has the servers of the context's profile. */
async function openDesk(
	context: Context,
): Promise<{readonly desk: LoginDesk; readonly profile: string}> {
	const paths = context.paths();
	const base = basePaths(paths);
	const serving = base && (await servingHome(context));
	const of = serving ? {...context, paths: () => base} : context;
	ensureHome(paths);
	const {clock, environment} = context;
	return {
		desk: openLoginDesk({clock, environment, config: () => readConfig(of)}),
		profile: serving ? paths.profile : 'default',
	};
}

/** Starts a login, says what the person has to do, takes what is pasted, and waits for the end. */
async function watchLogin(
	context: Context,
	{
		desk,
		place,
		flow,
	}: {
		readonly desk: LoginDesk;
		readonly place: LoginPlace;
		readonly flow: LoginFlow | undefined;
	},
): Promise<LoginAttempt> {
	using stop = whenAskedToStop();
	const ended = Promise.withResolvers<LoginAttempt>();
	const say = createLoginSpeaker(context);
	const look = () => {
		const attempt = desk
			.attempts()
			.find(({server, profile}) => server === place.server && profile === place.profile);
		if (attempt) {
			say(attempt);
			if (attempt.endedAt !== undefined) {
				ended.resolve(attempt);
			}
		}
	};

	desk.subscribe(look);
	desk.start(place, {...(flow && {flow})});
	void stop.asked.then(() => {
		desk.cancel(place);
		return undefined;
	});
	using lines = createInterface({input: context.stdin});
	lines.on('line', line => {
		const {problem} = line.trim() === '' ? {} : desk.paste(place, line);
		if (problem !== undefined) {
			tell(context, problem);
		}
	});
	return await ended.promise;
}

/** Tells each step of a login once, in lines. */
function createLoginSpeaker(context: Context): (attempt: LoginAttempt) => void {
	const said = new Set<string>();
	return attempt => {
		for (const line of linesOf(attempt)) {
			if (!said.has(line)) {
				said.add(line);
				tell(context, line);
			}
		}
	};
}

function linesOf({server, status, notes, ...attempt}: LoginAttempt): readonly string[] {
	const {serverHost, url, opened, tunnel, userCode, verificationUri, verificationHost} = attempt;
	const lines = [...notes];
	if (status === 'starting') {
		return serverHost === '' ? lines : [...lines, `Logging in to ${server} (${serverHost})`];
	}

	if (status === 'finishing') {
		return [...lines, 'Answered; the login is being completed'];
	}

	if (status !== 'waiting') {
		return lines;
	}

	if (userCode !== undefined && verificationUri !== undefined) {
		return [
			...lines,
			`To let svc use ${serverHost}, open this page of ${verificationHost} and type the code ${userCode}:`,
			`  ${verificationUri}`,
		];
	}

	if (url !== undefined) {
		lines.push(
			opened ? 'The browser shows this page; agree there:' : 'Open this page, and agree there:',
			`  ${url}`,
		);
	}

	if (tunnel !== undefined) {
		lines.push(
			'The browser comes back to this machine. If it runs on another one, type there:',
			`  ${tunnel}`,
		);
	}

	return url === undefined
		? lines
		: [...lines, 'Or paste here the URL that the browser ends on, and press Enter'];
}
