/** The messaging platforms that results can go to. @see manual/delivery.md */
export const platformNames = [
	'telegram',
	'discord',
	'slack',
	'whatsapp',
	'signal',
	'sms',
	'email',
	'matrix',
	'mattermost',
	'teams',
	'googlechat',
	'zulip',
	'rocketchat',
	'feishu',
	'dingtalk',
	'wecom',
] as const;

/** Platforms that this version cannot deliver to. */
export const platformsToCome: readonly string[] = platformNames.filter(name => name !== 'email');

/** Every value that `deliver` may have. @see manual/delivery.md */
export const deliverValues = ['log', 'forge_comment', 'github_comment', ...platformNames] as const;

/** The target behind a value of `deliver`: aliases resolved, `log` when there is none. */
export const targetOf = (deliver: string | null | undefined): string =>
	deliver === 'github_comment' ? 'forge_comment' : (deliver ?? 'log');
