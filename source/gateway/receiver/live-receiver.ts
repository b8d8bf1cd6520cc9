import type {WebhookConfig} from '../../config/config.ts';
import {placed} from '../../config/format-diagnostic.ts';
import {createTimer} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import type {World} from '../../core/world.ts';
import type {Receiver} from '../../webhook/receiver.ts';

/** A busy port may become free: it is tried again this often. */
const retryMs = 15_000;

export type LiveReceiver = {
	/** Listens, or says why not. Never rejects. */
	start(): Promise<void>;
	/** The same, after a refusal or a change of the configuration: one that switched it off closes it. */
	restart(): Promise<void>;
	/** The receiver that listens, if one does. */
	current(): Receiver | undefined;
	/** The host and the port that it was asked to listen on, if it listens. */
	listensOn(): Pick<WebhookConfig, 'host' | 'port'> | undefined;
	/** Drains and closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts the receiver when the configuration allows it and reports where it stands. A refused receiver leaves the rest of the gateway running.
 *
 * @see manual/receiver.md#refused-at-the-start
 */
export function createLiveReceiver({
	clock,
	emit,
	log,
	config,
	brokenBy,
	create,
	onClosed,
}: Pick<World, 'clock' | 'emit' | 'log'> & {
	readonly config: () => WebhookConfig;
	/** Why the configuration as a whole cannot be used, if so. */
	readonly brokenBy: () => string | undefined;
	/** Makes a receiver for the host and port as configured now. */
	readonly create: (config: WebhookConfig) => Receiver;
	/** Each time that a receiver has closed, before that is reported: nothing comes in any more. Never rejects. */
	readonly onClosed: () => Promise<void>;
}): LiveReceiver {
	let receiver: Receiver | undefined;
	let listensOn: Pick<WebhookConfig, 'host' | 'port'> | undefined;
	const retry = createTimer(clock);
	let closed = false;

	let said = '';
	const say = (level: 'warn' | 'error', text: string) => {
		// A busy port is tried again and again; it is said once.
		if (text !== said) {
			said = text;
			log[level](text);
		}
	};

	const refuse = (code: string, reason: string) => {
		say('error', `The webhook receiver does not start (${code}): ${reason}`);
		emit({type: 'webhook-refused', at: clock.now(), code, reason});
	};

	/** One after the other: what has to close has closed before the next listens on its port. */
	const oneByOne = createMutex();
	const start = async () => oneByOne(follow);

	/** Does what the configuration says now. Never rejects. */
	const follow = async () => {
		retry.cancel();
		const webhook = config();
		if (!webhook.enabled) {
			await close();
		}

		if (receiver || closed) {
			return;
		}

		const broken = brokenBy();
		const [refusal] = webhook.refusals;
		if (broken !== undefined) {
			refuse('config_invalid', broken);
		} else if (webhook.broken !== undefined) {
			refuse('settings_invalid', webhook.broken);
		} else if (!webhook.enabled) {
			say('warn', 'The webhook receiver is not enabled (platforms.webhook.enabled)');
			emit({type: 'webhook-disabled', at: clock.now()});
		} else if (refusal) {
			refuse(refusal.code, placed(refusal.problem, refusal.reason));
		} else {
			await listen(webhook);
		}
	};

	const close = async () => {
		const stopping = receiver;
		receiver = undefined;
		listensOn = undefined;
		if (stopping) {
			await stopping.close();
			await onClosed();
		}
	};

	const listen = async (webhook: WebhookConfig) => {
		const candidate = create(webhook);
		receiver = candidate;
		try {
			const {url} = await candidate.listen();
			listensOn = webhook;
			said = '';
			log.note(`Listening on ${url}`);
			emit({type: 'webhook-listening', at: clock.now(), url});
		} catch (error) {
			receiver = undefined;
			refuse(codeOf(error), messageOf(error));
			retry.set(retryMs, () => {
				void start();
			});
		}
	};

	return {
		start,
		restart: start,
		current: () => receiver,
		listensOn: () => listensOn,
		async [Symbol.asyncDispose]() {
			closed = true;
			retry[Symbol.dispose]();
			await oneByOne(close);
			emit({type: 'webhook-closed', at: clock.now()});
		},
	};
}
