import {createKeyedMutex} from '../core/keyed-mutex.ts';
import {within} from '../core/within.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {Place} from '../platforms/platform.ts';
import type {PlatformSettings, Sender, SenderWorld, TargetKind} from '../platforms/target-kind.ts';
import {createKeepUp} from './keep-up.ts';
import {createPaces} from './paces.ts';
import type {PlatformState} from './platform-state.ts';
import {createSendParts, stopped} from './send-parts.ts';

/** Texts that may wait for others to the same chat. */
const maxWaiting = 32;

type Delivery = {
	readonly kind: Pick<TargetKind, 'afterBreak' | 'edits' | 'keyWindowMs' | 'kind' | 'pace'>;
	readonly settings: unknown;
	readonly sender: Pick<Sender<unknown>, 'edit' | 'send' | 'split'>;
	readonly message: OutgoingMessage;
	/** What `kind.check` made; of a platform a `Place`. */
	readonly address: unknown;
	/** Hears how each try ends. */
	readonly state?: PlatformState | undefined;
	readonly signal: AbortSignal;
};

type HandOverWorld = Pick<SenderWorld, 'clock' | 'memos'>;

/**
 * Sends the parts of a text, one after the other. Texts to one chat of a platform follow each other whole, at the pace that it takes. Resolves with a line for a person.
 *
 * @throws DeliveryError, and what `Memos.put` throws
 * @see manual/delivery.md#tries
 */
export function createHandOver(world: HandOverWorld): (delivery: Delivery) => Promise<string> {
	const turns = createKeyedMutex(maxWaiting);
	const paceOf = createPaces(world.clock);
	const sendParts = createSendParts(world);
	const keepUp = createKeepUp(world, sendParts);

	const toPlace = async (delivery: Delivery, queue: string): Promise<string> => {
		const {kind, settings, sender, state, signal, message} = delivery;
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
		const place = delivery.address as Place;
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform they are these
		const {perMinute} = settings as PlatformSettings;
		const usual = typeof kind.pace === 'function' ? kind.pace(place.chat) : (kind.pace ?? 0);
		const isDirect = message.runId === undefined;
		const pace = paceOf(queue, perMinute ?? usual);
		const {keyWindowMs} = kind;
		const sending = {
			kind: {
				...kind,
				keyWindowMs: typeof keyWindowMs === 'function' ? keyWindowMs(place.chat) : keyWindowMs,
			},
			message,
			address: place,
			...(state && {holds: () => state.holds(settings, isDirect)}),
			...(pace && {pace}),
			signal,
		};
		const observed = <Result>(attempt: () => Promise<Result>) =>
			state ? state.observe(settings, attempt) : attempt();
		const split = (maxParts?: number) =>
			sender.split?.(message.text, place, maxParts) ?? [message.text];
		const {edit} = sender;
		const summary = await (place.isSticky && edit
			? keepUp({
					...sending,
					place,
					text: split(1)[0] ?? '',
					send: async (part, limits) => observed(async () => sender.send(part, place, limits)),
					edit: async (part, limits) => observed(async () => edit(part, place, limits)),
					maxEdits: kind.edits ?? 0,
				})
			: sendParts({
					...sending,
					texts: split(),
					send: async (part, limits) => observed(async () => sender.send(part, place, limits)),
				}));
		return place.ignored.length === 0
			? summary
			: `${summary}; ${kind.kind} has nothing for ${place.ignored.join(', ')}`;
	};

	return async delivery => {
		const {kind, address, signal, message, sender, state, settings} = delivery;
		if (kind.afterBreak !== 'resumed') {
			const send = async () =>
				sendParts({
					kind: {kind: kind.kind, afterBreak: kind.afterBreak},
					message,
					address,
					texts: [message.text],
					send: async (part, limits) => sender.send(part, address, limits),
					signal,
				});
			return state ? state.observe(settings, send) : send();
		}

		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
		const queue = JSON.stringify([kind.kind, (address as Place).chat]);
		const turn = Promise.withResolvers<void>();
		const sent = turns.runExclusive(queue, async () => {
			turn.resolve();
			return toPlace(delivery, queue);
		});
		try {
			// Its own end counts once it is under way: what was written may have arrived.
			await within(Promise.race([turn.promise, sent]), signal);
		} catch (error) {
			void sent.catch(() => {});
			throw signal.aborted && !(error instanceof DeliveryError) ? stopped() : error;
		}

		const summary = await sent;
		if (summary === undefined) {
			throw new DeliveryError(
				'delivery_busy',
				`Cannot deliver: more than ${maxWaiting} texts wait for the same chat`,
			);
		}

		return summary;
	};
}
