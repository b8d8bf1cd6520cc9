import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Config} from '../../source/config/config.ts';
import type {PlatformView} from '../../source/core/config-view.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {createLogger, type LogRecord} from '../../source/core/log.ts';
import {createRedact} from '../../source/core/redact.ts';
import {createDeliverer} from '../../source/delivery/create-deliverer.ts';
import type {EmailSettings} from '../../source/platforms/email/descriptor.ts';
import type {OutgoingMessage} from '../../source/platforms/outgoing-message.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

export type FixtureOptions = {
	readonly email?: EmailSettings;
	readonly cli?: string;
	readonly allowOfflineDelivery?: boolean;
	readonly secretValues?: readonly string[];
	/** The process's environment. */
	readonly environment?: Record<string, string>;
	/** What the home's `.env` adds. */
	readonly dotEnv?: Record<string, string>;
	/** What the `.env` of other profiles adds, by their names. */
	readonly dotEnvs?: Record<string, Record<string, string>>;
};

/** A deliverer with a clock that stands still, a log in memory, and what it said of its platforms. */
export function createFixture({
	email,
	cli = 'gh',
	allowOfflineDelivery = false,
	secretValues = [],
	environment = {},
	dotEnv = {},
	dotEnvs = {},
}: FixtureOptions = {}) {
	const clock = createFakeClock(1_700_000_000_000);
	const records: LogRecord[] = [];
	const platforms: PlatformView[] = [];
	const config = {
		model: {provider: 'offline', allowOfflineDelivery},
		forge: {cli},
		itemErrors: new Map(),
		platforms: {...(email && {email})},
		secretValues,
		environment: {...environment, ...dotEnv},
		profiles: {
			of: (name: string) => ({
				environment: {...environment, ...(name === 'default' ? dotEnv : dotEnvs[name])},
			}),
		},
	} as unknown as Config;
	const log = createLogger(
		{clock, redact: createRedact(() => secretValues), write: record => records.push(record)},
		'delivery',
	);
	const deliverer = createDeliverer({
		clock,
		log,
		config: () => config,
		environment: () => environment,
		onPlatformChanged: platform => platforms.push(platform),
	});
	return {
		clock,
		deliverer,
		records,
		platforms,
		deliver: async (message: OutgoingMessage, signal = new AbortController().signal) =>
			deliverer.deliver(message, signal),
		[Symbol.asyncDispose]: async () => deliverer[Symbol.asyncDispose](),
	};
}

/** A message for `kind`; `overrides` win. */
export const makeMessage = (
	kind: string,
	extra: JsonObject = {},
	overrides: Partial<OutgoingMessage> = {},
): OutgoingMessage => ({
	text: 'Looks good to me.',
	target: {kind, extra},
	profile: 'default',
	route: 'gh-review',
	event: 'pull_request',
	delivery: 'abc123',
	runId: 7,
	offline: false,
	...overrides,
});

/** The code, the message and the retryability of a rejection. */
export async function failureOf(promise: Promise<unknown>) {
	try {
		await promise;
	} catch (error) {
		const {code, message, retryable} = error as Error & {code: string; retryable: boolean};
		return {code, message, retryable};
	}

	throw new Error('Expected a rejection');
}

/** A folder with a program of that name first on a PATH; `body` is JavaScript (CommonJS). */
export async function installProgram(name: string, body: string) {
	const folder = await mkdtemp(join(tmpdir(), 'svc-delivery-'));
	const file = join(folder, name);
	await writeFile(file, `#!${process.execPath}\n${body}`);
	await chmod(file, 0o755);
	return {
		folder,
		path: `${folder}:${process.env['PATH'] ?? ''}`,
		[Symbol.asyncDispose]: async () => rm(folder, {recursive: true, force: true}),
	};
}
