import {valueIn, withValueAt} from '../../core/json-path.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import type {NotesOfAny} from '../../core/schema-parts.ts';
import {conversing} from '../../platforms/conversing.ts';
import type {TargetKind} from '../../platforms/target-kind.ts';
import {contentOf} from '../field-kinds.ts';
import {field, trimmed, type FieldRecord, type FieldValue} from '../field.ts';

/** The parts of a platform that a form needs. */
export type AskedPlatform = Pick<TargetKind, 'fields' | 'kind' | 'listens' | 'needs' | 'title'>;

const homeChannel = 'home_channel';

/** Settings without a simple field: `webhooks` has several, headers are written by hand, and permitted people are asked for later. */
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
 * The settings to fill in for a platform: required ones, those without a default, and the default chat. Keys in a mapping are prefixed: `smtp.host`. Those already
 * in `written` (its section of `config.yaml`) may be left empty to stay unchanged. Settings only for listening are left out.
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
	// The chat is asked for last, after credentials.
	return all.toSorted((a, b) => Number(a.key === homeChannel) - Number(b.key === homeChannel));
}

/** The part of a platform that only listening needs, for a form. */
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

/** The settings to write below `platforms.<kind>`; `written`: the existing ones. The first webhook becomes the home channel if there is none. */
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
