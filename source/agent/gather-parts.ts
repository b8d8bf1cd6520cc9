import type {LanguageModelMiddleware} from 'ai';
import {boundText} from '../core/bounds.ts';
import {SvcError} from '../core/errors.ts';
import {isDeepJson, maxJsonDepth} from '../core/json.ts';
import {type Redact, redactJson, createRedactedPieces} from '../core/redact.ts';
import type {TranscriptEntry} from '../core/run.ts';
import type {World} from '../core/world.ts';
import {type AskedModel, nameModel} from './model-fetch.ts';
import type {Generated, StreamPart} from './providers.ts';

type Content = Generated['content'][number];
type Said = Extract<Content, {readonly type: 'text' | 'reasoning'}>;
type Metadata = Said['providerMetadata'];

/** Assembles an answer from its parts. */
type GatheredParts = {
	/** Adds a part; returns the text by which the answer grows. @throws the error of an error part; parts after it are ignored */
	take(part: StreamPart): string;
	/** The assembled answer; `undefined` until its end has arrived. */
	whole(): Generated | undefined;
};

/** Assembles the parts of a stream to what the same call would have answered without streaming. */
export function gatherParts(): GatheredParts {
	const content: Content[] = [];
	const open = new Map<string, Said>();
	let warnings: Generated['warnings'] = [];
	let response: Generated['response'];
	let end: Extract<StreamPart, {readonly type: 'finish'}> | undefined;

	const begin = (type: Said['type'], id: string, metadata: Metadata) => {
		const said: Said = {type, text: '', ...(metadata && {providerMetadata: metadata})};
		open.set(`${type} ${id}`, said);
		content.push(said);
		return said;
	};

	/** Some servers start with a delta, and signatures may come with any part. */
	const grow = (
		type: Said['type'],
		part: Extract<StreamPart, {type: `${Said['type']}-${'delta' | 'end'}`}>,
	) => {
		const {id, providerMetadata: metadata} = part;
		const said = open.get(`${type} ${id}`) ?? begin(type, id, metadata);
		const delta = 'delta' in part ? part.delta : '';
		said.text += delta;
		if (metadata) {
			said.providerMetadata = metadata;
		}

		return type === 'text' ? delta : '';
	};

	return {
		take(part) {
			switch (part.type) {
				case 'stream-start':
					({warnings} = part);
					return '';

				case 'response-metadata': {
					const {type: _, ...metadata} = part;
					response = metadata;
					return '';
				}

				case 'text-start':
					begin('text', part.id, part.providerMetadata);
					return '';

				case 'reasoning-start':
					begin('reasoning', part.id, part.providerMetadata);
					return '';

				case 'text-delta':
				case 'text-end':
					return grow('text', part);
				case 'reasoning-delta':
				case 'reasoning-end':
					return grow('reasoning', part);

				case 'error':
					// oxlint-disable-next-line typescript/only-throw-error -- whatever the provider made of the server's error
					throw part.error;

				case 'finish':
					end = part;
					return '';

				// The complete call follows as one part.
				case 'tool-input-start':
				case 'tool-input-delta':
				case 'tool-input-end':
				case 'ping':
				case 'raw':
					return '';

				case 'tool-call':
				case 'tool-result':
				case 'tool-approval-request':
				case 'custom':
				case 'file':
				case 'reasoning-file':
				case 'source':
					content.push(part);
					return '';
			}
		},
		whole: () =>
			end && {
				content: content.filter(
					({type, ...part}) => type !== 'text' || !('text' in part) || part.text !== '',
				),
				finishReason: end.finishReason,
				usage: end.usage,
				warnings,
				...(response && {response}),
				...(end.providerMetadata && {providerMetadata: end.providerMetadata}),
			},
	};
}

/** Passes on the model's text, redacted. */
export type SafeText = ReturnType<typeof createSafeText>;

/**
 * Redacts a text that arrives in pieces. The possible beginning of a credential is held back until it is known what it is: usually the last word. `write` is awaited;
 * `begins` says that its text is the first of an answer.
 */
export function createSafeText({
	redact,
	write,
}: {
	readonly redact: Redact;
	readonly write: (text: string, begins: boolean) => Promise<void>;
}) {
	let pieces = createRedactedPieces(redact);
	let begins = true;

	const pass = async (text: string) => {
		if (text !== '') {
			const first = begins;
			begins = false;
			await write(text, first);
		}
	};

	return {
		/** Starts another answer; drops what is still held back of the previous one. */
		begin(): void {
			pieces = createRedactedPieces(redact);
			begins = true;
		},
		add: async (text: string): Promise<void> => pass(pieces.add(text)),
		/** Releases what is held back, as the answer is complete. */
		end: async (): Promise<void> => pass(pieces.end()),
	};
}

/** Maximum text of one entry, UTF-8 bytes. */
const maxEntryBytes = 64 * 1024;

/** Records what happens in a run. */
export type Transcript = {
	/** Adds an entry; does nothing after `close()`. */
	add(kind: TranscriptEntry['kind'], text: string, data?: TranscriptEntry['data']): void;
	/** Drops later entries, such as those of a tool that ignored its signal. */
	close(): void;
};

/** A transcript that stamps, redacts and truncates each entry, then passes it to `write`. Redaction comes first: half a secret would not be found. */
export function createTranscript(
	world: Pick<World, 'clock' | 'redact'> & {
		readonly write: (entry: TranscriptEntry) => void;
	},
): Transcript {
	const {clock, redact, write} = world;
	let open = true;
	return {
		add(kind, text, data) {
			if (open) {
				const entry = {at: clock.now(), kind, text: boundText(redact(text), maxEntryBytes)};
				write(data ? {...entry, data: redactJson(data, redact.known ?? redact)} : entry);
			}
		},
		close() {
			open = false;
		},
	};
}

/** Ends the run with `model_garbled` when a tool call has arguments nested more than 128 levels deep: they could not be recorded, and the tool would start without a trace. */
export const refuseDeepCalls = (asked: AskedModel): LanguageModelMiddleware => ({
	specificationVersion: 'v4',
	async wrapGenerate({doGenerate}) {
		const generated = await doGenerate();
		if (generated.content.some(part => part.type === 'tool-call' && isDeepJson(part.input))) {
			throw new SvcError(
				'model_garbled',
				`Cannot read the answer of ${nameModel(asked)}: the arguments of a tool call are nested more than ${maxJsonDepth} levels deep`,
			);
		}

		return generated;
	},
});
