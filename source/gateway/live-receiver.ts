import type {WebhookConfig} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import type {Emit} from '../core/events.ts';
import type {Logger} from '../core/log.ts';
import type {Receiver} from '../webhook/receiver.ts';

/** A busy port may become free: it is tried again this often. */
const retryMs = 15_000;

export type LiveReceiver = {
	/** Listens, or says why not. Never rejects. */
	start(): Promise<void>;
	/** The same, after a refusal or a change of the configuration: one that switched it off closes it. */
	restart(): Promise<void>;
	/** The receiver that listens, if one does. */
	current(): Receiver | undefined;
	/** Drains and closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts the receiver when the configuration allows it and reports where it stands. A refused receiver leaves the rest of the gateway running.
 *
 * @see Interface 7
 */
export function createLiveReceiver({
	clock,
	emit,
	log,
	config,
	brokenBy,
	create,
}: {
	readonly clock: Clock;
	readonly emit: Emit;
	readonly log: Logger;
	readonly config: () => WebhookConfig;
	/** Why the configuration as a whole cannot be used, if so. */
	readonly brokenBy: () => string | undefined;
	/** Makes a receiver for the host and port as configured now. */
	readonly create: (config: WebhookConfig) => Receiver;
}): LiveReceiver {
	let receiver: Receiver | undefined;
	let cancelRetry: (() => void) | undefined;
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

	const start = async () => {
		cancelRetry?.();
		const webhook = config();
		if (receiver && !webhook.enabled) {
			const stopping = receiver;
			receiver = undefined;
			await stopping.close();
		}

		if (receiver || closed) {
			return;
		}

		const broken = brokenBy();
		const [refusal] = webhook.refusals;
		if (broken !== undefined) {
			refuse('config_invalid', broken);
		} else if (!webhook.enabled) {
			say('warn', 'The webhook receiver is not enabled (platforms.webhook.enabled)');
			emit({type: 'webhook-disabled', at: clock.now()});
		} else if (refusal) {
			refuse(refusal.code, refusal.reason);
		} else {
			await listen(webhook);
		}
	};

	const listen = async (webhook: WebhookConfig) => {
		const candidate = create(webhook);
		receiver = candidate;
		try {
			const {url} = await candidate.listen();
			said = '';
			log.info(`Listening on ${url}`);
			emit({type: 'webhook-listening', at: clock.now(), url});
		} catch (error) {
			receiver = undefined;
			refuse(codeOf(error), messageOf(error));
			cancelRetry = clock.after(retryMs, () => {
				void start();
			});
		}
	};

	return {
		start,
		restart: start,
		current: () => receiver,
		async [Symbol.asyncDispose]() {
			closed = true;
			cancelRetry?.();
			await receiver?.close();
			emit({type: 'webhook-closed', at: clock.now()});
		},
	};
}
