import type {ContentBlock} from '@modelcontextprotocol/client';
import {boundText} from '../../core/bounds.ts';
import {messageOf} from '../../core/errors.ts';
import {canonicalJson, isDeepJson} from '../../core/json.ts';
import type {Redact} from '../../core/redact.ts';
import type {ToolResult} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {visibleText} from '../../core/visible-text.ts';
import {pruneBinaries, saveBinary} from './save-binary.ts';

/** A server's answer without protocol data. */
export type ToolAnswer = {
	readonly content: readonly ContentBlock[];
	readonly structured?: unknown;
	readonly isError?: boolean;
};

/** Where the binary parts of an answer are saved. */
export type AnswerPlace = {
	readonly cacheDir: string;
	readonly runId?: number | undefined;
	readonly redact: Redact;
};

const maxBlocks = 1000;
const maxBinaries = 50;
/** The most UTF-8 bytes of an answer that a model reads. @see manual/tool-servers.md#states */
const maxResultBytes = 400_000;
/** Bytes beyond this are dropped before cleaning and redacting, which cost time. */
const maxCleanedBytes = 2 * maxResultBytes;

/**
 * An answer as text for a model: texts, structured content as JSON unless a text says the same, names of binaries saved to the cache, and links (never followed).
 * Without invisible characters and credentials; an answer longer than 400 kB keeps head and tail. Never throws, whatever the server sent.
 *
 * @see manual/tool-servers.md#states
 */
export async function renderAnswer(
	{content, structured, isError}: ToolAnswer,
	place: AnswerPlace,
): Promise<ToolResult> {
	const blocks = content.slice(0, maxBlocks);
	const saver = createSaver(place);
	const parts: string[] = [];
	for (const block of blocks) {
		// Sequential, because saved binaries are counted.
		// oxlint-disable-next-line no-await-in-loop -- see above
		parts.push(await renderBlock(block, saver));
	}

	if (content.length > blocks.length) {
		parts.push(`[${content.length - blocks.length} more parts left out]`);
	}

	if (structured !== undefined) {
		parts.push(...renderStructured(structured, blocks));
	}

	await saver.finish();
	const text = finishText(parts.filter(part => part !== '').join('\n'), place.redact);
	return {text: text || '(no content)', ...(isError === true ? {isError} : {})};
}

/** A stranger's text for a model: without invisible characters and credentials; beyond 400 kB only head and tail. */
const finishText = (text: string, redact: Redact): string =>
	boundText(redact(visibleText(boundText(text, maxCleanedBytes))), maxResultBytes);

type Saver = ReturnType<typeof createSaver>;

function createSaver({cacheDir, runId}: AnswerPlace) {
	let count = 0;
	return {
		async save(
			what: string,
			binary: {data: string; mimeType?: string | undefined},
		): Promise<string> {
			count += 1;
			const label = `${what}, ${short(binary.mimeType ?? 'type not told')}`;
			if (count > maxBinaries) {
				return `[${label}: more than ${maxBinaries} in one answer, not kept]`;
			}

			try {
				const saved = await saveBinary(binary, {cacheDir, runId});
				return 'path' in saved
					? `[${label}, ${saved.bytes} bytes, saved as ${saved.path}]`
					: `[${label}: ${saved.refused}]`;
			} catch (error) {
				return `[${label}: cannot be saved (${short(messageOf(error))})]`;
			}
		},
		async finish(): Promise<void> {
			if (count > 0) {
				try {
					await pruneBinaries(cacheDir);
				} catch {
					// The next answer tries to prune again.
				}
			}
		},
	};
}

async function renderBlock(block: ContentBlock, saver: Saver): Promise<string> {
	switch (block.type) {
		case 'text':
			return block.text;

		case 'image':
		case 'audio':
			return saver.save(block.type, block);

		case 'resource_link':
			return renderLink(block);

		case 'resource': {
			const {resource} = block;
			const label = `resource ${short(resource.uri)}`;
			return 'text' in resource
				? `[${label}]\n${resource.text}`
				: saver.save(label, {data: resource.blob, mimeType: resource.mimeType});
		}
	}
}

function renderLink(link: Extract<ContentBlock, {type: 'resource_link'}>): string {
	const facts = [link.title ?? link.name, link.mimeType, link.description]
		.filter(fact => fact !== undefined && fact !== '')
		.map(fact => short(String(fact)));
	return `[link to resource ${short(link.uri)}, not fetched: ${facts.join(', ')}]`;
}

const short = (text: string): string => escapeLine(text, 500);

/** The structured content, unless a text contains the same. */
function renderStructured(structured: unknown, blocks: readonly ContentBlock[]): readonly string[] {
	try {
		const text = JSON.stringify(structured);
		const whole = isDeepJson(text) ? undefined : canonicalJson(JSON.parse(text));
		const isTold =
			whole !== undefined &&
			blocks.some(block => block.type === 'text' && canonicalText(block.text) === whole);
		return isTold ? [] : [`structured content:\n${text}`];
	} catch {
		return ['[structured content that is nested too deep, left out]'];
	}
}

/** The canonical form of a JSON text. */
function canonicalText(text: string): string | undefined {
	if (isDeepJson(text)) {
		return undefined;
	}

	try {
		return canonicalJson(JSON.parse(text));
	} catch {
		return undefined;
	}
}
