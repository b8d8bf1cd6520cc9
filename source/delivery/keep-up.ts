import {z} from 'zod';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {MessagePlace} from '../platforms/platform.ts';
import type {MessagePart, SenderWorld, Sent} from '../platforms/target-kind.ts';
import type {Sending} from './send-parts.ts';

const memoKind = 'kept-message';

/** The stored facts about a message that is kept up to date. */
const keptForm = z.object({
	id: z.string(),
	/** The run whose answer the message shows; 0 for none. */
	run: z.number(),
	/** Number of its edits. */
	edits: z.number(),
});

/** Identifiers become parts of paths: one that could change the path is not stored. */
const isSafeId = /^(?!.*\.\.)[^\s?#%\\]{1,300}$/;

type KeptSending = Omit<Sending, 'address'> & {
	readonly place: MessagePlace;
	/** The place for people. */
	readonly where: string;
	readonly edit: (
		message: OutgoingMessage,
		part: MessagePart & {readonly id: string},
	) => Promise<void>;
	/** Most edits of a message that the platform allows. */
	readonly maxEdits: number;
};

/**
 * Keeps one message of a route in a chat up to date: edits it, or sends a new one if there is none, it is gone, or it has the most edits that the platform allows. An
 * earlier run never replaces the answer of a later one. Resolves with a line for people.
 *
 * @throws DeliveryError
 */
export const createKeepUp =
	(
		{memos}: Pick<SenderWorld, 'memos'>,
		sendParts: (sending: Sending) => Promise<string>,
	): ((sending: KeptSending) => Promise<string>) =>
	async ({place, where, texts, edit, send, maxEdits, ...sending}) => {
		const {kind, message} = sending;
		const {profile, route, key = '', runId} = message;
		const name = JSON.stringify([kind.kind, profile, route, place.chat, place.thread ?? '', key]);
		const kept = keptForm.safeParse(await memos?.get(memoKind, name)).data;
		const run = runId ?? kept?.run ?? 0;
		if (kept && kept.run > run) {
			return `${where}: the answer of run ${kept.run}, which is later, stays`;
		}

		/** Sends the messages that follow the edited one. */
		const sendRest = async () => {
			const rest = texts.slice(1);
			return rest.length === 0
				? []
				: [await sendParts({...sending, address: [place, 'rest'], texts: rest, send})];
		};

		if (kept && kept.edits < maxEdits) {
			try {
				// Not resumed: repeating the same edit does no harm.
				const summary = await sendParts({
					...sending,
					kind: {kind: kind.kind, afterBreak: 'repeated', keyWindowMs: Infinity},
					address: [place, kept.id],
					texts: texts.slice(0, 1),
					async send(part, limits) {
						await edit(part, {...limits, id: kept.id});
						return {place: where, id: kept.id};
					},
				});
				const rest = await sendRest();
				// A whole text is never replaced by a later one.
				await (message.isWhole
					? memos?.drop(memoKind, name)
					: memos?.put(memoKind, name, {id: kept.id, run, edits: kept.edits + 1}));
				return [`${summary}, edited`, ...rest].join('; ');
			} catch (error) {
				if (!(error instanceof DeliveryError) || error.code !== 'message_gone') {
					throw error;
				}
			}
		}

		let sent: Sent | undefined;
		const summary = await sendParts({
			...sending,
			address: place,
			texts,
			async send(part, limits) {
				const one = await send(part, limits);
				sent ??= one;
				return one;
			},
		});
		if (sent?.id !== undefined && isSafeId.test(sent.id) && !message.isWhole) {
			await memos?.put(memoKind, name, {id: sent.id, run, edits: 0});
		}

		return summary;
	};
