import type {WebhookConfig} from '../../config/config.ts';
import {placed} from '../../config/format-diagnostic.ts';
import type {World} from '../../core/world.ts';
import {createLiveListener, type LiveListener} from '../../http/live-listener.ts';
import type {Receiver} from '../../webhook/receiver.ts';

export type LiveReceiver = LiveListener<Receiver>;

/**
 * Starts the receiver when the configuration allows it and reports where it stands. A refused receiver leaves the rest of the gateway running.
 *
 * @see manual/receiver.md#refused-at-the-start
 */
export function createLiveReceiver(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly config: () => WebhookConfig;
		/** Why the configuration as a whole cannot be used, if so. */
		readonly brokenBy: () => string | undefined;
		/** Makes a receiver for the host and port as configured now. */
		readonly create: (config: WebhookConfig) => Receiver;
		/** Each time that a receiver has closed, before that is reported: nothing comes in any more. Never rejects. */
		readonly onClosed: () => Promise<void>;
	},
): LiveReceiver {
	const {clock, emit, log, config, brokenBy, create, onClosed} = world;
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

	return createLiveListener<Receiver, WebhookConfig>(world, {
		mustClose: () => !config().enabled,
		wanted() {
			const webhook = config();
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
				return webhook;
			}

			return undefined;
		},
		create,
		onListening(url) {
			said = '';
			log.note(`Listening on ${url}`);
			emit({type: 'webhook-listening', at: clock.now(), url});
		},
		onRefused: refuse,
		onClosed,
		onEnd() {
			emit({type: 'webhook-closed', at: clock.now()});
		},
	});
}
