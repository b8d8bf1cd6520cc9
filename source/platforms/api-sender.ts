import type {JsonObject} from '../core/json.ts';
import type {PlatformCall, Ask} from './ask.ts';
import type {OutgoingMessage} from './outgoing-message.ts';
import type {MessagePlace} from './platform.ts';
import type {MessagePart, Sender} from './target-kind.ts';

/** A message; buttons are attached only to the last part. */
type ApiMessage = OutgoingMessage & Required<Pick<OutgoingMessage, 'buttons'>>;

type ApiSending = Pick<Sender<MessagePlace>, 'check' | 'split'> & {
	/** The request of `check`, and how to read the account of our credentials from its answer. */
	readonly account?: {readonly path: string; readonly name: (answer: JsonObject) => string};
	/** The request that sends a message. */
	readonly send: (message: ApiMessage, place: MessagePlace, part: MessagePart) => PlatformCall;
	/** Reads the message's identifier from the answer; absent when answers have none. */
	readonly sentId?: (answer: JsonObject, place: MessagePlace) => string | undefined;
	/** The request that replaces the text of the message `id`. */
	readonly edit?: (message: OutgoingMessage, place: MessagePlace, id: string) => PlatformCall;
};

/** A sender that uses one request per message. Rejects as `Ask`. */
export const apiSender = (
	ask: Ask,
	{account, send, sentId, edit, ...sender}: ApiSending,
): Sender<MessagePlace> => ({
	...(account && {
		check: async limits => account.name(await ask({method: 'GET', path: account.path}, limits)),
	}),
	...sender,
	async send(message, place, part) {
		const buttons = part.index === part.of - 1 ? (message.buttons ?? []) : [];
		const answer = await ask(send({...message, buttons}, place, part), part);
		return {id: sentId?.(answer, place)};
	},
	...(edit && {
		async edit(message, place, {id, ...limits}) {
			await ask({...edit(message, place, id), isEdit: true}, limits);
		},
	}),
});
