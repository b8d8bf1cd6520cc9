import {valueIn, withValueAt} from '../../core/json-path.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import type {NotesOfAny} from '../../core/schema-parts.ts';
import {conversing} from '../../platforms/conversing.ts';
import type {TargetKind} from '../../platforms/target-kind.ts';
import {contentOf} from '../field-kinds.ts';
import {field, trimmed, type FieldRecord, type FieldValue} from '../field.ts';

/** What a form asks of a platform. */
export type AskedPlatform = Pick<TargetKind, 'fields' | 'kind' | 'listens' | 'needs' | 'title'>;

const homeChannel = 'home_channel';

/** Settings without a field of their own: `webhooks` has several, headers are written by hand, and who may talk is asked later. */
const unasked: ReadonlySet<string> = new Set([
	'enabled',
	'webhooks',
	'headers',
	'per_minute',
	'max_parts',
	...Object.keys(conversing),
]);

const isHidden = 'The input is hidden.';
const isSecret = `It is written as it is typed; a reference takes its value from .env. ${isHidden}`;

const textField = (key: string, description: string, more?: Partial<FieldRecord>): FieldRecord =>
	field(key, 'text', {description, own: trimmed, ...more});

const hookFields = (required: boolean): readonly FieldRecord[] => [
	textField('hook', 'What the webhook is called here: routes name it as their chat_id.', {
		title: 'name',
		required,
		initial: 'main',
	}),
	textField(
		'url',
		`The address of the incoming webhook${required ? '' : '; empty: none is added'}. ${isHidden}`,
		{required, masked: true},
	),
	textField('secret', `What it is signed with, where it is. ${isHidden}`, {masked: true}),
];

/**
 * The settings of a platform that a person fills in to use it: those that it needs, those without a default, and the chat of texts that name none. Keys of a mapping stand behind its own:
 * `smtp.host`. What `written` (its section of `config.yaml`) has already may be left empty and stays. What only listening needs is left out.
 */
export function platformFields(
	{fields = {}, needs = [], listens}: AskedPlatform,
	written: JsonObject = {},
): readonly FieldRecord[] {
	const sending = Object.fromEntries(
		Object.entries(fields).filter(([key]) => !listens?.fields?.includes(key)),
	);
	const settings = leavesOf(sending).flatMap(([key, notes]) =>
		unasked.has(key) || (notes.default !== undefined && !needs.includes(key))
			? []
			: [fieldOf(key, notes, {required: needs.includes(key), isThere: isWritten(written, key)})],
	);
	const needsHook = needs.includes('webhooks') && !isWritten(written, 'webhooks');
	const all = [...settings, ...(Object.hasOwn(fields, 'webhooks') ? hookFields(needsHook) : [])];
	// Where to is asked last: credentials come first.
	return all.toSorted((a, b) => Number(a.key === homeChannel) - Number(b.key === homeChannel));
}

/** The part of a platform that only listening to it needs, as a form asks for it. */
export const listeningPart = ({kind, fields = {}, listens}: AskedPlatform): AskedPlatform => ({
	kind,
	fields: Object.fromEntries(
		Object.entries(fields).filter(([key]) => listens?.fields?.includes(key)),
	),
});

const leavesOf = (
	fields: Readonly<Record<string, {readonly notes: NotesOfAny}>>,
): ReadonlyArray<readonly [key: string, notes: NotesOfAny]> =>
	Object.entries(fields).flatMap(([key, {notes}]) =>
		notes.inner?.fields
			? leavesOf(notes.inner.fields).map(([below, inner]) => [`${key}.${below}`, inner] as const)
			: [[key, notes] as const],
	);

function isWritten(written: JsonObject, key: string): boolean {
	const value = valueIn(written, key.split('.'));
	return value !== undefined && value !== null;
}

const fieldOf = (
	key: string,
	{description, secret}: NotesOfAny,
	{required, isThere}: {readonly required: boolean; readonly isThere: boolean},
): FieldRecord =>
	textField(
		key,
		compact([`${description}.`, isThere && 'It is set: empty, it stays.', secret && isSecret]).join(
			' ',
		),
		{required: required && !isThere, masked: secret === true},
	);

/** The settings to write below `platforms.<kind>` for the values of the form; `written`: those that are there already. The first webhook becomes the home channel if there is none. */
export function settingsFromForm(
	platform: AskedPlatform,
	values: Readonly<Record<string, FieldValue>>,
	written: JsonObject = {},
): JsonObject {
	const content = contentOf({fields: platformFields(platform, written), values});
	const {hook, url, secret, ...rest}: Record<string, JsonValue> = {...content};
	const settings = Object.entries(rest).reduce<JsonObject>(
		(all, [key, value]) => withValueAt(all, key.split('.'), value),
		{},
	);
	if (typeof hook !== 'string' || (url ?? secret) === undefined) {
		return settings;
	}

	return {
		...(!isWritten(written, homeChannel) && {[homeChannel]: hook}),
		...settings,
		webhooks: {[hook]: {...(url !== undefined && {url}), ...(secret !== undefined && {secret})}},
	};
}
