import type {Route} from '../config/route.ts';
import type {SubjectRule} from '../config/senders/sender.ts';
import {senderNames, type SenderName} from '../config/senders/senders.ts';
import {subjectRulesFor} from '../config/senders/subjects.ts';
import type {JsonValue} from '../core/json.ts';
import {compileField, type FieldReader, type FilterContext} from './field-path.ts';
import {parseTemplate, renderTemplate} from './template.ts';

/** What an event is about, as sent: not cleaned, at most 2,048 characters. `undefined` where its payload does not say. */
export type EventSubjectReader = (event: FilterContext) => string | undefined;

/** Characters of a subject that are kept. */
export const maxSubjectLength = 200;

/** What is looked at of a subject: enough to know a secret that is cut. */
const lookedAt = 2048;

type Part = string | FieldReader;

type CompiledRule = {
	readonly needs: FieldReader | undefined;
	readonly text: readonly Part[];
	readonly more: ReadonlyArray<readonly Part[]>;
};

/**
 * The reader of the subjects of `route`, made once per route: its own `subject`, if every key of that is there and not all of it is blank, else the first rule that fits. In one line.
 *
 * @see manual/filters-and-templates.md#subjects
 */
export function compileSubject({
	subject,
	signature,
}: Pick<Route, 'subject' | 'signature'>): EventSubjectReader {
	const rules = rulesFor(signature?.kind);
	const template = subject === undefined ? undefined : parseTemplate(subject);
	return event => {
		const own = template && renderTemplate(template, event);
		const text = own?.unresolved.length === 0 ? inOneLine(own.text) : '';
		return text === '' ? firstOf(rules, event) : text;
	};
}

const inOneLine = (text: string): string => text.slice(0, lookedAt).replaceAll(/\s+/g, ' ').trim();

const compiled = new Map<SenderName | undefined, readonly CompiledRule[]>();

function rulesFor(kind: string | undefined): readonly CompiledRule[] {
	const sender = senderNames.find(name => name === kind);
	const known = compiled.get(sender) ?? subjectRulesFor(sender).map(compileRule);
	compiled.set(sender, known);
	return known;
}

const compileRule = ({needs, text, more = []}: SubjectRule): CompiledRule => ({
	needs: needs === undefined ? undefined : compileField(needs),
	text: partsOf(text),
	more: more.map(partsOf),
});

const partsOf = (template: string): readonly Part[] =>
	parseTemplate(template).map(part => (typeof part === 'string' ? part : compileField(part.key)));

function firstOf(rules: readonly CompiledRule[], event: FilterContext): string | undefined {
	for (const {needs, text, more} of rules) {
		const found = render(text, event);
		if (found !== undefined && (needs === undefined || needs(event) !== undefined)) {
			return more
				.reduce((line, parts) => line + (render(parts, event) ?? ''), found)
				.slice(0, lookedAt);
		}
	}

	return undefined;
}

/** `undefined` unless everything in it is there. */
function render(parts: readonly Part[], event: FilterContext): string | undefined {
	let line = '';
	for (const part of parts) {
		const text = typeof part === 'string' ? part : textOf(part(event));
		if (text === '') {
			return undefined;
		}

		line += text;
	}

	return line;
}

function textOf(value: JsonValue | undefined): string {
	if (typeof value === 'string') {
		return firstLine(value.slice(0, lookedAt).trim()).replace(/^refs\/(?:heads|tags)\//, '');
	}

	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

const firstLine = (text: string): string => /^[^\r\n]*/.exec(text)?.[0].trimEnd() ?? '';
