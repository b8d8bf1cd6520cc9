import {messageOf} from '../../core/errors.ts';
import {createKeyedMutex} from '../../core/mutex.ts';
import {type GroupExit, runInGroup} from '../../core/process-group.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {SenderModule, SenderWorld, TargetHealth} from '../target-kind.ts';
import {clientEnvironment} from './client-environment.ts';
import type {ForgeClient} from './descriptor.ts';
import {
	failureOfClient,
	type ForgeFailure,
	forgeFailures,
	isLoggedOut,
	notLoggedIn,
} from './forge-failure.ts';
import type {ForgePlace} from './forge-place.ts';
import {findKept, idOfAnswer, idOfMarked, keep, keptName, listedSince} from './kept-comment.ts';
import type {KeptComment, Posting} from './kept-comment.ts';

const timeoutMs = 30_000;

/** Delay between SIGTERM and SIGKILL, milliseconds. */
const termGraceMs = 2000;

/** How much of the client's output is read. The limit is high, since a client that is stopped may already have commented. */
const output = {limitBytes: 16 * 1024 * 1024, above: 'stop'} as const;

/** Serialises answers to one place, even if a reload replaces the sender meanwhile: two runs that end at once make only one comment. */
const oneByOne = createKeyedMutex(32);

/** Failures of an edit if the comment is gone, or belongs to another user. */
const notOurs: ReadonlySet<string> = new Set(['forge_target_not_found', 'forge_forbidden']);

/**
 * Posts comments with the code host's client, each within 30 s. Uses `issue comment`, which accepts the number of an issue or a pull request, while `pr comment` refuses
 * issues. A comment to be kept up to date is created and edited with `api`, which returns its number. The text goes through stdin, with the gateway's mark.
 *
 * Rejects with a `DeliveryError` `forge_*`, `delivery_timeout`, `delivery_aborted`.
 *
 *
 * @see manual/delivery-forge-comment.md, manual/commands.md
 */
export const connect: SenderModule<ForgeClient, ForgePlace>['connect'] = (
	{cli, broken},
	{clock, log, clean, environment, profileEnvironment, sign, memos, killed},
) => {
	const ask = async (
		args: readonly string[],
		profile: string,
		options: {signal: AbortSignal; input?: string; timeoutMs?: number},
	) =>
		runInGroup(
			{
				command: cli,
				args,
				env: clientEnvironment(cli, {own: environment(), profile: profileEnvironment(profile)}),
				// No folder near the gateway may influence the client, and a missing working directory must not look like a missing client.
				cwd: '/',
				input: '',
				stdout: output,
				stderr: output,
				timeoutMs,
				termGraceMs,
				killed,
				...options,
			},
			{clock},
		);

	const post = async (
		args: readonly string[],
		{text = '', profile}: Pick<OutgoingMessage, 'profile'> & Partial<Pick<OutgoingMessage, 'text'>>,
		{place, signal}: {place: string; signal: AbortSignal},
	): Promise<string> => {
		const exit = await ask(args, profile, {input: text && sign(text), signal});
		if (exit.kind === 'exited' && exit.code === 0) {
			return exit.stdout;
		}

		throw failureOf(exit, cli, reason => `Cannot comment on "${place}": ${clean(reason)}`);
	};

	/** Edits the existing comment, or creates one. The answer of a later run is not replaced. */
	const keepUp = async (
		message: OutgoingMessage,
		{repo, number}: ForgePlace,
		{name, ...way}: {name: string; place: string; signal: AbortSignal},
	): Promise<string> => {
		const issues = `repos/${repo}/issues`;
		const send = async (method: 'POST' | 'PATCH', path: string) =>
			post(['api', '--method', method, `${issues}/${path}`, '-F', 'body=@-'], message, way);
		/** Finds the comment that an interrupted attempt may have created. */
		const find = async (posting: Posting) => {
			const path = `${issues}/${listedSince(number, posting)}`;
			const listed = await post(['api', '--method', 'GET', path], {profile: message.profile}, way);
			try {
				return idOfMarked(listed, posting);
			} catch {
				throw forgeError(
					'forge_failed',
					`Cannot look for the comment on "${way.place}": "${cli}" did not list comments as JSON`,
				);
			}
		};
		const edit = async (id: number) => {
			try {
				await send('PATCH', `comments/${id}`);
				return true;
			} catch (error) {
				if (error instanceof DeliveryError && notOurs.has(error.code)) {
					return false;
				}

				throw error;
			}
		};

		// A failure does not prevent the comment: without the memo, the next answer creates another one.
		const note = async (comment: KeptComment) => {
			await keep(memos, name, comment).catch((error: unknown) =>
				log.warn(`Cannot keep the number of a comment: ${messageOf(error)}`),
			);
		};

		const kept = await findKept(memos, name);
		const {runId: run = kept?.run ?? 0} = message;
		const there = kept && ('id' in kept ? kept.id : await find(kept));
		if (kept && there !== undefined && kept.run > run) {
			return `comment on ${way.place}: the answer of run ${kept.run}, which is later, stays`;
		}

		const isEdited = there !== undefined && (await edit(there));
		if (isEdited) {
			await note({id: there, run});
		} else {
			const mark = sign(message.text).slice(message.text.length).trim();
			await note({mark, at: clock.now(), run});
			const id = idOfAnswer(await send('POST', `${number}/comments`));
			if (id !== undefined) {
				await note({id, run});
			}
		}

		return `comment on ${way.place}${isEdited ? ', edited' : ''}`;
	};

	return {
		async send(message, target, {signal}) {
			if (broken !== undefined) {
				throw forgeError('forge_client_unusable', `Cannot deliver: ${broken}`);
			}

			const {repo, number, sticky} = target;
			const place = `${repo}#${number}`;
			if (sticky) {
				const name = keptName(message, target);
				const summary = await oneByOne.runExclusive(name, async () =>
					keepUp(message, target, {name, place, signal}),
				);
				if (summary === undefined) {
					throw new DeliveryError(
						'delivery_busy',
						`Cannot comment on "${place}": too many answers wait for the same comment`,
					);
				}

				return {place: summary};
			}

			await post(
				['issue', 'comment', String(number), '--repo', repo, '--body-file', '-'],
				message,
				{place, signal},
			);
			return {place: `comment on ${place}`};
		},
		async problemNow(profile) {
			if (broken !== undefined) {
				return broken;
			}

			const exit = await ask(['auth', 'status'], profile, {signal: killed, timeoutMs: askMs});
			if (exit.kind === 'not-started') {
				return clean(failureOfClient(exit, cli).reason);
			}

			return exit.kind === 'exited' && isLoggedOut(exit) ? clean(notLoggedIn(cli)) : undefined;
		},
		async examine(profile, signal) {
			if (broken !== undefined) {
				return {health: 'failed', found: broken, mend: 'mend forge.cli in config.yaml'};
			}

			const [version, login] = await Promise.all([
				ask(['--version'], profile, {signal, timeoutMs: askMs}),
				ask(['auth', 'status'], profile, {signal, timeoutMs: askMs}),
			]);
			return healthOfClient(cli, {version, login}, clean);
		},
	};
};

const askMs = 5000;

function failureOf(exit: GroupExit, cli: string, say: (reason: string) => string): DeliveryError {
	switch (exit.kind) {
		case 'timeout':
			return new DeliveryError(
				'delivery_timeout',
				say(
					`"${cli}" was not done within ${timeoutMs / 1000} s and was ended; it may have commented`,
				),
			);
		case 'aborted':
		case 'too-much-output':
			return new DeliveryError(
				'delivery_aborted',
				say(`"${cli}" was ended; it may have commented`),
			);
		case 'not-started':
		case 'exited': {
			const {code, reason} = failureOfClient(exit, cli);
			return forgeError(code, say(reason));
		}
	}
}

const forgeError = (code: ForgeFailure['code'], message: string) =>
	new DeliveryError(code, message, forgeFailures[code]);

/** The health of the code host's client, from its output of `--version` and `auth status`. Pure. */
function healthOfClient(
	cli: string,
	{version, login}: Readonly<Record<'login' | 'version', GroupExit>>,
	clean: SenderWorld['clean'],
): TargetHealth {
	if (login.kind === 'not-started') {
		return {
			health: 'failed',
			found: clean(failureOfClient(login, cli).reason),
			mend: 'install it, or set forge.cli in config.yaml to the one that is there',
		};
	}

	const name = clean(nameOf(cli, version));
	if (login.kind !== 'exited') {
		return {
			health: 'warning',
			found: `${name} did not say in time whether it is logged in`,
			mend: `${cli} auth status`,
		};
	}

	if (isLoggedOut(login)) {
		return {
			health: 'failed',
			found: `${name} is not logged in`,
			mend: `${cli} auth login, or set GH_TOKEN in .env`,
		};
	}

	return login.code === 0
		? {health: 'ok', found: `${name} is logged in`}
		: {
				health: 'warning',
				found: clean(`${name}: ${failureOfClient(login, cli).reason}`),
				mend: `${cli} auth status`,
			};
}

/** The client's version line, `gh version 2.63.0 (2024-11-27)`; its quoted name if there is none. */
function nameOf(cli: string, version: GroupExit): string {
	const [said = ''] = version.kind === 'exited' ? version.stdout.trim().split('\n') : [];
	return said === '' ? `"${cli}"` : said;
}
