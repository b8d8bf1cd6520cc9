import {compact} from '../../core/names.ts';
import type {RouteBacktest, RoutePreview} from '../../core/route-editor.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';
import {typedText} from '../../nouns/field-kinds.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {line, type Line, paragraph, lineWidth} from '../lines/line.ts';
import {countChanges} from './draft.ts';
import type {EditorState} from './editor-state.ts';

const maxWarnings = 3;

/** The draft's check, its effect on one delivery, and on all stored ones. If the cursor is on a template, the rendered prompt comes first, else the counts. */
export function draftLines(
	state: EditorState,
	{width, isTemplate}: {readonly width: number; readonly isTemplate: boolean},
): readonly Line[] {
	const {draft, check, backtest, preview, deliveries, delivery} = state;
	const changes = countChanges(draft);
	const id = deliveries[delivery];
	const said = [...(check?.problems ?? []), ...(check?.notes ?? [])];
	const counted = backtestLines(backtest, width);
	const shown = [
		...(id === undefined
			? paragraph(
					'No event of it is stored: there is nothing to show the prompt with',
					width,
					'quiet',
				)
			: [
					line(
						safe`── with ${escapeLine(id)}, ${delivery + 1} of ${deliveries.length} · ←/→ other event ──`,
						'quiet',
					),
				]),
		...(preview ? previewLines(preview, width) : []),
	];
	return [
		ruled(
			[
				{text: literal('── '), tone: 'quiet'},
				{
					text: safe`${escapeLine(draft.name || 'new')}  ${escapeLine(draft.source)}  `,
					tone: 'strong',
				},
				check === undefined
					? {text: literal('looking'), tone: 'quiet'}
					: check.problems.length === 0
						? draft.name === ''
							? {text: literal('✗ a name is missing'), tone: 'bad'}
							: {text: literal('✓ valid'), tone: 'good'}
						: {text: safe`✗ ${check.problems.length} wrong`, tone: 'bad'},
				{text: changes === 0 ? literal('') : safe` · ${changes} not saved`, tone: 'warn'},
			],
			width,
		),
		...(check?.warnings ?? [])
			// Warnings about one setting are already shown at its field.
			.filter(text => !said.some(({message}) => text.endsWith(message)))
			.slice(0, maxWarnings)
			.flatMap(text => paragraph(`! ${text}`, width, 'warn')),
		...(isTemplate ? [...shown, ...counted] : [...counted, ...shown]),
	];
}

/** A line with a rule from its end to the edge. */
const ruled = (spans: Line, width: number): Line => {
	const rest = Math.max(0, width - lineWidth(spans) - 1);
	return [...spans, {text: escapeLine(` ${'─'.repeat(rest)}`), tone: 'quiet'}];
};

function backtestLines(backtest: RouteBacktest | undefined, width: number): readonly Line[] {
	if (!backtest) {
		return [];
	}

	const {problem, deliveries, leftOut, today, edited, medianPrompt, unresolved = []} = backtest;
	if (problem !== undefined || !edited || deliveries === 0) {
		return [];
	}

	const {changed = 0, promptsChanged = 0, notes} = backtest;
	const text = compact([
		`back-test: ${edited.passed} of ${deliveries} pass${today ? `, today ${today.passed}` : ''}`,
		changed > 0 && `${changed} end otherwise`,
		promptsChanged > 0 && `${promptsChanged} other prompts`,
		medianPrompt !== undefined && `prompt median ${medianPrompt} characters`,
		unresolved.length > 0 &&
			`${unresolved.length} unresolved ${unresolved.length === 1 ? 'key' : 'keys'}`,
		leftOut > 0 && `${leftOut} left out`,
	]).join(', ');
	return [
		...paragraph(escapeLine(text), width),
		...notes.flatMap(note => paragraph(note, width, 'quiet')),
	];
}

function previewLines(preview: RoutePreview, width: number): readonly Line[] {
	const {problem, trace = [], prompt = '', promptLength = 0, extra, unresolved = []} = preview;
	if (problem !== undefined) {
		return paragraph(problem, width, 'warn');
	}

	return compact([
		...trace
			.filter(({verdict}) => verdict === 'stop')
			.flatMap(({step, detail}) => paragraph(`✗ ${step}: ${detail}`, width, 'bad')),
		...trace
			.filter(({step}) => step === 'dispatch')
			.map(({detail}) => line(safe`✓ ${escapeLine(detail)}`, 'good')),
		extra &&
			Object.keys(extra).length > 0 &&
			line(
				escapeLine(typedText({kind: 'mapping', masked: false}, extra).replaceAll('\n', ', ')),
				'quiet',
			),
		...promptLines(prompt, unresolved, width),
		promptLength > prompt.length &&
			line(safe`… ${promptLength - prompt.length} characters more`, 'quiet'),
	]);
}

const maxPromptLines = 200;

/** A rendered prompt, with a remark under each placeholder that was not replaced. */
function promptLines(
	prompt: string,
	unresolved: NonNullable<RoutePreview['unresolved']>,
	width: number,
): readonly Line[] {
	const rows: Line[] = [];
	let at = 0;
	for (const text of prompt.split('\n').slice(0, maxPromptLines)) {
		const missing = unresolved.filter(one => one.at >= at && one.at <= at + text.length);
		const cut = new Set<number>();
		rows.push(...paragraph(text, width));
		for (const {at: place, key} of missing) {
			const indent = widthOf(escapeBlock(text.slice(0, place - at)));
			if (!cut.has(indent)) {
				cut.add(indent);
				rows.push(
					line(
						safe`${escapeLine(' '.repeat(indent <= width - 26 ? indent : 0))}^ no {${escapeLine(key)}}, stays literal`,
						'warn',
					),
				);
			}
		}

		at += text.length + 1;
	}

	return rows;
}
