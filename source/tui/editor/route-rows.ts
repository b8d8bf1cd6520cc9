import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import type {RouteCheck, RouteField} from '../../core/route-editor.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {typedProblem} from '../../nouns/field-kinds.ts';
import {formerText, secretAge} from '../../nouns/route/route-facts.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {fieldRows, type FieldRows} from '../forms/field-rows.ts';
import {currentField, typedNow} from '../forms/form.ts';
import {line, type Line} from '../lines/line.ts';
import {completionsOf} from './edit-field.ts';
import {targetKey, type EditorState} from './editor-state.ts';
import {addKey, filterLine, isListMember, listMembers} from './list-setting.ts';
import {
	shownFields,
	foldField,
	foldedCount,
	isFieldChanged,
	isSaidOf,
	keyOf,
	liveDraft,
	routeForm,
} from './route-form.ts';
import {settingOf} from './settings.ts';
import {shownValue} from './shown-value.ts';

const maxShown = 8;

type RouteLook = {
	readonly width: number;
	readonly now: number;
	readonly losses?: string | undefined;
};

/** The fields of a route with their checks. `losses`: a warning about events that the route turned away. */
export function routeRows(state: EditorState, {width, now, losses}: RouteLook): FieldRows {
	const byKey = new Map(shownFields(state).map(field => [keyOf(field), field]));
	const form = routeForm(state);
	const isRight = typedNow(form)?.ok === true;
	// The check of another target does not apply to this one.
	const isNow = state.target?.key === targetKey(liveDraft(state).definition);
	return fieldRows(form, {
		width,
		group({key}) {
			const field = byKey.get(key);
			return !field || field === foldField ? literal(' ') : escapeLine(settingOf(field).group);
		},
		shown({key}, value) {
			const field = byKey.get(key);
			if (key === '' || !field) {
				return escapeLine(typeof value === 'string' && value !== '' ? value : '-');
			}

			if (field === foldField) {
				return state.isUnfolded === true
					? literal('Enter folds what is not written')
					: safe`${foldedCount(state)} more: Enter unfolds, / finds one`;
			}

			return isListMember(field.path)
				? memberText(state, field, {value, now})
				: shownValue(field, value);
		},
		isChanged({key}) {
			const field = byKey.get(key);
			return field !== undefined && isFieldChanged(state, field);
		},
		problems(record) {
			const typed = typedProblem(record, form.values[record.key]);
			return typed === undefined || (isRight && record.key === currentField(form)?.key)
				? saidAt(state.check?.problems, byKey.get(record.key), state)
				: [typed];
		},
		warnings({key}, value) {
			const field = byKey.get(key);
			return compact([
				...(isTemplate(field) ? openBraces(value) : []),
				...saidAt(state.check?.notes, field, state),
				key === 'deliver' && isNow && state.target?.problem,
				key === 'rate_limit' && losses,
			]);
		},
		offers: completionLines(state, width),
	});
}

/** Whether the setting's value is a template, in which keys in braces are replaced. */
export const isTemplate = (field: RouteField | undefined): boolean => {
	const {path: [first = ''] = [], description = ''} = field ?? {};
	return ['prompt', 'coalesce', 'deliver_extra'].includes(first) || /template/i.test(description);
};

/** A filter with its pass count, a secret with its age, or the hint of the row that adds one. */
function memberText(
	{draft, backtest}: EditorState,
	field: RouteField,
	{value, now}: {readonly value: JsonValue | undefined; readonly now: number},
): Safe {
	const [key = '', at = ''] = field.path;
	const count = listMembers(draft.definition[key]).length;
	const isSecret = field.secret === true;
	if (at === addKey) {
		return count > 0
			? literal('Enter adds one')
			: isSecret && draft.isNew
				? literal('a new one is made')
				: shownValue(field, undefined);
	}

	if (isSecret) {
		const {rotated_on: on, retired_secrets: retired} = draft.definition;
		const shown = shownValue(field, value);
		const former = formerText(
			listMembers(retired).flatMap(one =>
				isJsonObject(one) && typeof one['until'] === 'string' ? [Date.parse(one['until'])] : [],
			),
			now,
		);
		return shown.startsWith('✓') && count === 1
			? safe`${shown}, ${escapeLine(secretAge(typeof on === 'string' ? Date.parse(on) : undefined, {now, key: 'n'}))}${former === undefined ? literal('') : safe`; former: ${escapeLine(former)}`}`
			: shown;
	}

	const passes = backtest?.filterPasses?.[Number(at)];
	const said = escapeLine(filterLine(value ?? null));
	const {deliveries = 0} = backtest ?? {};
	return passes === undefined || deliveries === 0
		? said
		: safe`${passes} of ${deliveries}: ${said}`;
}

/** The messages about a field; those about a part of it begin with the part's keys. */
const saidAt = (
	said: readonly RouteProblem[] = [],
	field: RouteField | undefined,
	{draft}: EditorState,
): readonly string[] =>
	said
		.filter(({path}) => field && isSaidOf(path, field, draft))
		.map(({path, message}) => {
			const own = field ? `${keyOf(field)}.` : '';
			return path.startsWith(own) ? `${path.slice(own.length)} ${message}` : message;
		});

type RouteProblem = RouteCheck['problems'][number];

/** Completions for the `{` before the cursor. */
function completionLines(state: EditorState, width: number): readonly Line[] {
	const all = completionsOf(state);
	const at = state.completion ?? 0;
	const from = Math.max(0, Math.min(at - maxShown + 1, all.length - maxShown));
	const samples = new Map((state.keys?.keys ?? []).map(({key, sample}) => [key, sample]));
	return [
		...all.slice(from, from + maxShown).map((key, index): Line => [
			{text: literal('     ')},
			{text: from + index === at ? literal('> ') : literal('  '), tone: 'accent'},
			{
				text: fit(escapeLine(key), Math.floor((width - 8) * 0.6)),
				tone: from + index === at ? 'selected' : 'plain',
			},
			{text: safe` ${escapeLine(samples.get(key) ?? '')}`, tone: 'quiet'},
		]),
		...(all.length > maxShown
			? [line(safe`       ${all.length} keys were seen; type to find one`, 'quiet')]
			: []),
	];
}

/** `{` and a key's name, without a `}` after them in the line. */
const unclosed = /\{([a-z_][\w.]*)(?![\w.])(?![^{}\n]*\})/gi;

/** A warning for each placeholder without its closing brace: it stays literal, perhaps on purpose. */
export function openBraces(template: JsonValue | undefined): readonly string[] {
	const texts =
		typeof template === 'string'
			? [template]
			: typeof template === 'object' && template !== null
				? Object.values(template).filter(text => typeof text === 'string')
				: [];
	const names = texts.flatMap(text => [...text.matchAll(unclosed)].map(([, name = '']) => name));
	return [...new Set(names)].map(name => `{${name} has no closing }, and stays as it is written`);
}
