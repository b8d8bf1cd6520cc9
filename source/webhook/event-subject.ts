import type {Route} from '../config/route.ts';
import type {SubjectRule} from '../config/senders/sender.ts';
import {senderNames, type SenderName} from '../config/senders/senders.ts';
import {subjectRulesFor} from '../config/senders/subjects.ts';
import type {AuthorshipMark} from '../core/authorship-mark.ts';
import {type JsonValue, isJsonObject} from '../core/json.ts';
import {lookUp} from '../core/payload.ts';
import type {RunPlan} from '../core/run.ts';
import {escapeLine} from '../core/untrusted.ts';
import {pullRequestIn, repositoryIn} from '../platforms/forge-comment/pull-request.ts';
import {compileField, type FieldReader, type FilterContext} from './filter.ts';
import {headerOf, type RequestHeaders} from './request-content.ts';
import {parseTemplate, renderTemplate} from './template.ts';

/** Reads the subject of an event (untrusted, at most 2,048 characters); `undefined` if the payload has none. */
export type EventSubjectReader = (event: FilterContext) => string | undefined;

/** Longest stored subject, in characters. */
export const maxSubjectLength = 200;

/** Subjects are cut to this length before redaction. It exceeds `maxSubjectLength`, so that a secret which crosses that limit is still recognised. */
const lookedAt = 2048;

type Part = string | FieldReader;

type CompiledRule = {
	readonly needs: FieldReader | undefined;
	readonly text: readonly Part[];
	readonly more: ReadonlyArray<readonly Part[]>;
};

/**
 * Compiles the reader of a route's event subjects. It renders the `subject` template of the route; if a key has no value or the text is blank, it uses the first matching rule
 * of the sender. Subjects have one line.
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

function compileRule(rule: SubjectRule): CompiledRule {
	const [template, needs] = typeof rule === 'string' ? [rule] : rule;
	const [text = '', ...more] = template.split(/\]?\[|\]$/);
	return {
		needs: needs === undefined ? undefined : compileField(needs),
		text: partsOf(text),
		more: more.filter(part => part !== '').map(partsOf),
	};
}

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

/** Joins the parts; `undefined` unless all have values. Starts with the last part, usually the most specific field, to fail early. */
function render(parts: readonly Part[], event: FilterContext): string | undefined {
	let line = '';
	for (let index = parts.length - 1; index >= 0; index--) {
		const part = parts[index] ?? '';
		const text = typeof part === 'string' ? part : textOf(part(event));
		if (text === '') {
			return undefined;
		}

		line = text + line;
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

/** Payload fields with the name of the repository: first of GitHub, Gitea and Forgejo, then of GitLab. */
const repositories = [
	['repository', 'full_name'],
	['project', 'path_with_namespace'],
];

/** Payload fields with the number of the pull request or the issue. */
const numbers = [
	['pull_request', 'number'],
	['issue', 'number'],
	['merge_request', 'iid'],
	['issue', 'iid'],
	['object_attributes', 'iid'],
	['number'],
];

const maxLength = 200;

/** The pull request or issue of an event as `owner/name#number`, from the payload fields of code hosts; cleaned. `undefined` if a field is missing. */
export function subjectOf(payload: JsonValue): string | undefined {
	if (!isJsonObject(payload)) {
		return undefined;
	}

	const find = <Found>(
		places: readonly string[][],
		read: (value: JsonValue | undefined) => Found | undefined,
	) => places.map(place => read(lookUp(payload, place))).find(found => found !== undefined);
	const repository = find(repositories, nameIn);
	const number = find(numbers, numberIn);
	return repository && number !== undefined
		? escapeLine(`${repository}#${number}`, maxLength)
		: undefined;
}

// Repository and number are normalised as in the target of a comment, so that one target has one subject.
const nameIn = (value: JsonValue | undefined) =>
	typeof value === 'string' ? value.trim() : undefined;

function numberIn(value: JsonValue | undefined): number | undefined {
	const isNumber =
		typeof value === 'number' || (typeof value === 'string' && /^\d{1,10}$/.test(value.trim()));
	return isNumber ? Number(value) : undefined;
}

/**
 * Payload fields with the text of a comment: first of GitHub, Gitea and Forgejo, then of GitLab. Descriptions of issues and pull requests (on GitLab
 * `object_attributes.description`) are not searched: the gateway writes only comments, and a person who copies one into a description must not silence all events of the issue.
 */
const places = [
	['comment', 'body'],
	['object_attributes', 'note'],
] as const;

/** Whether an event is about a comment that this gateway wrote and nobody has changed since. @see manual/delivery-forge-comment.md#what-svc-wrote-itself */
export function isAboutOwnComment(payload: JsonValue, {isOwn}: AuthorshipMark): boolean {
	if (!isJsonObject(payload)) {
		return false;
	}

	const text = places.map(place => lookUp(payload, place)).find(found => typeof found === 'string');
	return typeof text === 'string' && isOwn(text);
}

/** What to fetch before the run of an event starts, decided when the event is accepted; `undefined`: nothing. */
export const prefetchOf = (
	{prefetch: what, deliverOnly, cronJob}: Route,
	{headers, payload}: {readonly headers: RequestHeaders; readonly payload: JsonValue},
): RunPlan['prefetch'] => {
	if (what.length === 0 || deliverOnly || cronJob !== undefined) {
		return undefined;
	}

	const pullRequest = pullRequestIn(payload, {isGitea: isFromGitea(headers)});
	return {what: [...what], ...(pullRequest && {pullRequest})};
};

/** The repository that terminal commands of the run may read; `undefined` without the toolset `terminal`, and for Gitea and Forgejo. */
export const repositoryOf = (
	{toolsets}: Route,
	{headers, payload}: {readonly headers: RequestHeaders; readonly payload: JsonValue},
): string | undefined =>
	toolsets?.includes('terminal') === true && !isFromGitea(headers)
		? repositoryIn(payload, {isGithub: headerOf(headers, 'x-github-event') !== undefined})
		: undefined;

/** Gitea and Forgejo send the headers of GitHub besides their own. */
const isFromGitea = (headers: RequestHeaders): boolean =>
	['x-gitea-event', 'x-forgejo-event'].some(name => headerOf(headers, name) !== undefined);
