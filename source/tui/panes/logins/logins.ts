import {createMemory} from '../../../core/derive.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {
	isUnderWay,
	loginEntries,
	loginState,
	succeededMs,
} from '../../../nouns/login/login-entry.ts';
import {loginNoun} from '../../../nouns/login/login.ts';
import {serverName} from '../../../nouns/server/server.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {goToLogin} from '../../acts/start-login.ts';
import {loginList, rememberEntries} from '../../entries/login-list.ts';
import type {DetailSource} from '../../lines/detail.ts';
import {type Line} from '../../lines/line.ts';
import {countPart} from '../../lines/title-parts.ts';
import {listingOf, onePane} from '../../nouns/listing.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Destination} from '../pane.ts';
import {loginCommands} from './login-commands.ts';
import {loginDetail} from './login-detail.ts';
import {qrCodes, qrPicture, qrText} from './with-picture.ts';

function createLoginDetail(host: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const {list, feed, layout, loader} = host;
	const entries = list(loginList);
	const everyEntry = rememberEntries(host);
	return {
		lines(width) {
			const entry = entries.selected();
			const others = everyEntry();
			const {now} = feed.get();
			const height = layout().bodyHeight;
			const second = Math.floor(now / 1000);
			const picture = entry && qrPicture(host, entry);
			return remember([entry, others, width, height, second, picture?.rows], () =>
				entry ? loginDetail(entry, {others, width, height, now, picture}) : [],
			);
		},
		want: isShown => loader(qrCodes).want(isShown ? qrText(host, entries.selected()) : ''),
	};
}

const destinations = (shell: Shell): readonly Destination[] =>
	loginEntries(shell.feed.get().state.servers, []).map(({server}) => ({
		label: safe`go to login ${escapeLine(serverName(server))}`,
		go: () => goToLogin(shell, server),
	}));

/** The logins to tool servers: which are needed, their codes, and how to complete them. */
export const loginsPane = onePane({
	id: 'logins',
	title: literal('Logins'),
	short: literal('Auth'),
	manual: 'logins',
	empty: () => [
		'No tool server has a login.',
		'One with `auth: oauth` in config.yaml appears here: l logs in, in a browser or with a code for another device.',
		'Its code, its page and a QR code are shown here, to be copied with one key.',
	],
	isWide: true,
	commands: loginCommands,
	listing: listingOf({noun: loginNoun, list: loginList, detail: createLoginDetail}),
	countsSeconds: (_state, {logins, clock}) =>
		logins
			.attempts()
			.some(
				attempt => isUnderWay(attempt) || clock.now() - (attempt.endedAt ?? 0) < succeededMs * 2,
			),
	destinations,
	summary({list, feed, logins}) {
		const entries = list(loginList);
		const {state, now} = feed.get();
		const states = loginEntries(state.servers, logins.attempts()).map(entry =>
			loginState(entry, now),
		);
		const needed = states.filter(each => each === 'needed').length;
		const waiting = states.filter(each => each === 'waiting').length;
		const facts = [
			...(needed > 0 ? [`${needed} ${needed === 1 ? 'needs' : 'need'} a login`] : []),
			...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
		].join(' · ');
		return [
			countPart(entries, {noun: [literal('server'), literal('servers')]}),
			facts === '' ? [] : [{text: escapeLine(facts), tone: 'warn'}],
		];
	},
});
