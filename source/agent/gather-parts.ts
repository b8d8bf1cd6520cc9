import type {Generated, StreamPart} from './language-model.ts';

type Content = Generated['content'][number];
type Said = Extract<Content, {readonly type: 'text' | 'reasoning'}>;
type Metadata = Said['providerMetadata'];

/** An answer that comes in parts. */
export type GatheredParts = {
	/** Adds one; the text by which the answer grows. @throws what an error part carries: what comes after it counts no more */
	take(part: StreamPart): string;
	/** The answer as one; `undefined` while its end is missing. */
	whole(): Generated | undefined;
};

/** Puts the parts of a stream together to what the same call would have answered at once. */
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

	/** Some servers begin with a delta, and what they sign comes with any of the parts. */
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
					// oxlint-disable-next-line typescript/only-throw-error -- whatever the provider made of what it read
					throw part.error;

				case 'finish':
					end = part;
					return '';

				// Their call comes as one part when it is whole.
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
