import {wholeTrace, type Delivery, type StoredDelivery} from '../../core/delivery.ts';
import {prettyJson} from '../../core/exact-json.ts';
import {quotedName} from '../../core/quoted-name.ts';
import {printableTime} from '../../terminal/text/time.ts';

const marks: Readonly<Record<Delivery['trace'][number]['verdict'], string>> = {
	pass: '✓',
	stop: '✗',
	skip: '-',
};

/** A delivery for `--json`: its body as text, indented when it is JSON. */
export function deliveryAsJson({body, ...delivery}: StoredDelivery): object {
	return {...delivery, ...(body && {body: textOf(body)})};
}

/** A delivery in lines: what it was, why it was decided so, its headers and its body. */
export function describeDelivery(delivery: StoredDelivery): readonly string[] {
	const {id, route, profile, event, subject, status, outcome, headers, body} = delivery;
	return [
		`${id}  ${route}  ${event}  ${status} ${outcome}`,
		...(subject === undefined ? [] : [`subject      ${subject}`]),
		`received     ${printableTime(delivery.receivedAt)}, answered in ${delivery.durationMs.toFixed(1)} ms`,
		`delivery id  ${delivery.deliveryId} (${delivery.idSource})`,
		...(profile === 'default' ? [] : [`profile      ${profile}`]),
		...(delivery.replayOf ? [`replay of    ${delivery.replayOf}`] : []),
		...(delivery.group === undefined
			? []
			: [`group        ${delivery.group} (svc groups show ${delivery.group})`]),
		...(delivery.runId === undefined
			? []
			: [`run          #${delivery.runId} (svc runs show ${delivery.runId})`]),
		'',
		'decision',
		...wholeTrace(delivery).flatMap(({step, verdict, detail}) => {
			const start = `  ${marks[verdict]} ${step.padEnd(10)} `;
			return step === 'signature' ? reasons(start, detail) : [start + detail];
		}),
		'',
		'headers',
		...Object.entries(headers).map(([name, value]) => `  ${quotedName(name)}: ${value}`),
		'',
		`body (${delivery.bodyBytes} bytes)`,
		body ? textOf(body) : '(not kept)',
	];
}

/** A refused signature may be explained by several reasons: each takes a line. */
function reasons(start: string, detail: string): readonly string[] {
	const [first = '', ...more] = detail.split('; ');
	return [start + first, ...more.map(reason => ' '.repeat(start.length) + reason)];
}

function textOf(body: Uint8Array): string {
	const text = Buffer.from(body).toString('utf8');
	return prettyJson(text) ?? text;
}
