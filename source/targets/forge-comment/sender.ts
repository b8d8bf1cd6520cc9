import {type GroupExit, runInGroup} from '../../core/process-group.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {SenderModule} from '../target-kind.ts';
import {clientEnvironment} from './client-environment.ts';
import type {ForgeClient} from './forge-comment.ts';
import {failureOfClient, type ForgeFailure, forgeFailures, notLoggedIn} from './forge-failure.ts';
import type {ForgePlace} from './forge-place.ts';

const timeoutMs = 30_000;

/** From SIGTERM to SIGKILL. */
const termGraceMs = 2000;

/** What is read of what the client says: it may have commented, so that it is ended only when it will not end by itself. */
const output = {limitBytes: 16 * 1024 * 1024, above: 'stop'} as const;

/**
 * Posts comments with the code host's client, each within 30 s. `issue comment` is the general way: it takes the number of an issue or of a pull
 * request, while `pr comment` refuses issues. The text goes through stdin.
 *
 * A comment rejects with a `DeliveryError` `forge_*`, `delivery_timeout`, `delivery_aborted`.
 *
 * @see manual/delivery-forge-comment.md, manual/commands.md
 */
export const connect: SenderModule<ForgeClient, ForgePlace>['connect'] = (
	{cli, broken},
	{clock, clean, environment, profileEnvironment, sign, killed},
) => ({
	async send({text, profile}, {repo, number}, signal) {
		if (broken !== undefined) {
			throw forgeError('forge_client_unusable', `Cannot deliver: ${broken}`);
		}

		const exit = await runInGroup(
			{
				command: cli,
				args: ['issue', 'comment', String(number), '--repo', repo, '--body-file', '-'],
				env: clientEnvironment(environment(), profileEnvironment(profile)),
				// Nothing near the gateway may influence the client, and a folder that is gone must not look like a client that is gone.
				cwd: '/',
				input: sign(text),
				stdout: output,
				stderr: output,
				timeoutMs,
				termGraceMs,
				signal,
				killed,
			},
			{clock},
		);
		const place = `${repo}#${number}`;
		if (exit.kind === 'exited' && exit.code === 0) {
			return `comment on ${place}`;
		}

		throw failureOf(exit, cli, reason => `Cannot comment on "${place}": ${clean(reason)}`);
	},
	async problemNow(profile) {
		if (broken !== undefined) {
			return broken;
		}

		const exit = await runInGroup(
			{
				command: cli,
				args: ['auth', 'status'],
				env: clientEnvironment(environment(), profileEnvironment(profile)),
				cwd: '/',
				input: '',
				stdout: output,
				stderr: output,
				timeoutMs: askMs,
				signal: killed,
				termGraceMs,
				killed,
			},
			{clock},
		);
		if (exit.kind !== 'not-started' && exit.kind !== 'exited') {
			return undefined;
		}

		// Other clients may know no such question: what they say of that is no answer.
		const isSound = exit.kind === 'exited' && exit.code === 0;
		const failure = isSound ? undefined : failureOfClient(exit, cli);
		return failure && tellsOfClient.has(failure.code)
			? clean(failure.code === 'forge_not_authenticated' ? notLoggedIn(cli) : failure.reason)
			: undefined;
	},
});

const askMs = 5000;

const tellsOfClient: ReadonlySet<string> = new Set([
	'forge_client_missing',
	'forge_client_unusable',
	'forge_not_authenticated',
]);

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
