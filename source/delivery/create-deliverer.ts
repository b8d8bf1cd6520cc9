import type {Config} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import type {PlatformView} from '../core/config-view.ts';
import type {Logger} from '../core/log.ts';
import {createRedact} from '../core/redact.ts';
import {cell} from '../core/untrusted.ts';
import {
	type Channel,
	createEmailChannel,
	createForgeChannel,
	createLogChannel,
	emailSlip,
} from './channels.ts';
import type {Deliverer, Receipt} from './deliverer.ts';
import {DeliveryError} from './delivery-error.ts';
import type {OutgoingMessage} from './outgoing-message.ts';
import {createPlatformState} from './platform-state.ts';
import {unknownTarget} from './platforms.ts';

export type DelivererDependencies = {
	readonly clock: Clock;
	/** Where answers for `log` are written. */
	readonly log: Logger;
	/** The current configuration; asked for each delivery. */
	readonly config: () => Config;
	/** The environment of this process, without the profile's `.env`. */
	readonly environment: () => Readonly<Record<string, string>>;
	/** Hears of a platform that went down or came back; must not throw. */
	readonly onPlatformChanged?: (platform: PlatformView) => void;
};

/** More at a time are refused for now: each may be a process or a connection. */
const mostAtOnce = 32;

/**
 * Delivers to `log`, `forge_comment` and `email`. The secrets of the configuration never leave in a text.
 *
 * @see manual/delivery.md, manual/runs.md#bounds
 */
export function createDeliverer({
	onPlatformChanged = () => {},
	...outside
}: DelivererDependencies): Deliverer {
	const {config} = outside;
	const redact = createRedact(() => config().secretValues);
	// An answer may talk of tokens, it may not hold ours.
	const withoutOwnSecrets = createRedact(() => config().secretValues, {byShape: false});
	const killed = new AbortController();
	const email = createPlatformState('email', onPlatformChanged);
	const dependencies = {
		...outside,
		email,
		killed: killed.signal,
		clean: (text: string) => cell(redact(text), 400).text,
	};
	const log = createLogChannel(dependencies);
	const channels: ReadonlyMap<string, Channel> = new Map([
		['log', log],
		['forge_comment', createForgeChannel(dependencies)],
		['email', createEmailChannel(dependencies)],
	]);
	const underWay = new Set<Promise<Receipt>>();

	const hand = async (message: OutgoingMessage, signal: AbortSignal): Promise<Receipt> => {
		const {kind} = message.target;
		const channel = channels.get(kind);
		if (channel === undefined) {
			const {code, problem} = unknownTarget(kind);
			throw new DeliveryError(code, `Cannot deliver: ${problem}`);
		}

		if (kind !== 'log' && message.offline && !config().model.allowOfflineDelivery) {
			await log.send(message, signal);
			return {
				summary: `gateway log instead of ${kind}: no language model wrote it, and model.allow_offline_delivery is not set`,
				withheld: true,
			};
		}

		if (kind !== 'log' && message.text.trim() === '') {
			throw new DeliveryError('empty_message', 'Cannot deliver: the text is empty');
		}

		return {
			summary: await channel.send({...message, text: withoutOwnSecrets(message.text)}, signal),
		};
	};

	return {
		async deliver(message, signal) {
			if (signal.aborted || killed.signal.aborted) {
				throw new DeliveryError('delivery_aborted', 'Cannot deliver: the delivery was stopped');
			}

			if (underWay.size >= mostAtOnce) {
				throw new DeliveryError(
					'delivery_busy',
					`Cannot deliver: ${mostAtOnce} deliveries are under way`,
				);
			}

			const delivery = hand(message, AbortSignal.any([signal, killed.signal]));
			underWay.add(delivery);
			try {
				return await delivery;
			} finally {
				underWay.delete(delivery);
			}
		},
		problemWith: target =>
			(
				channels.get(target.kind) ?? {problemWith: () => unknownTarget(target.kind).problem}
			).problemWith(target),
		platforms() {
			const now = config();
			const slip = emailSlip(now);
			const view: PlatformView | undefined = slip
				? {name: 'email', state: 'failed', reason: slip.reason}
				: email.view(now.platforms.email);
			return view ? [view] : [];
		},
		async [Symbol.asyncDispose]() {
			killed.abort();
			await Promise.allSettled(underWay);
		},
	};
}
