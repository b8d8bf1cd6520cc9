import {isUnderWay, type LoginEntry} from '../../../nouns/login/login-entry.ts';
import type {Host} from '../../shell/shell.ts';
import type {LoadSource, LocalState} from '../../state/source.ts';
import type {Picture} from './beside.ts';
import type {QrCode} from './qr.ts';

/** Whether QR codes are wanted. */
export const wantsQr: LocalState<boolean> = {initial: true};

/** QR codes by what they say; what draws them is loaded with the first. */
export const qrCodes: LoadSource<QrCode> = {
	async load(_port, text) {
		const {qrCode} = await import('./qr.ts');
		return qrCode(text);
	},
};

/** What a QR code of a login would say: the page with the code in it; empty where there is none, or nobody wants to see it. */
export function qrText({local}: Host, entry: LoginEntry | undefined): string {
	const {attempt} = entry ?? {};
	if (!isUnderWay(attempt) || attempt.userCode === undefined || !local(wantsQr).get()) {
		return '';
	}

	const text = attempt.verificationUriComplete ?? '';
	return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : '';
}

/** The QR code of a login, once it is loaded. Where there are no colours the light cells are drawn: most such screens are dark. */
export function qrPicture(host: Host, entry: LoginEntry): Picture | undefined {
	const text = qrText(host, entry);
	const loaded = host.loader(qrCodes).get();
	if (text === '' || loaded.key !== text || loaded.status !== 'ready') {
		return undefined;
	}

	const {width, rows, inverted} = loaded.value;
	return host.view.get().theme === 'mono'
		? {width, rows: inverted, tone: 'plain'}
		: {width, rows, tone: 'code'};
}
