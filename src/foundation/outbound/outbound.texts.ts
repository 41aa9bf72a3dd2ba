import type { TemplatesOf, TextTable } from '../i18n/text-table.ts';

export const OUTBOUND_TEXTS = {
  'webhook.header_name': { en: '{name} is not the name of a header', zhCn: '{name} 不是请求头名称' },
  'outbound.spaces': { en: 'must not contain spaces or control characters', zhCn: '不能包含空格或控制字符' },
  'outbound.scheme': { en: 'must be an http or https URL', zhCn: '必须是 http 或 https URL' },
  'outbound.host': { en: 'must name a host', zhCn: '必须包含主机名' },
  'outbound.user': { en: 'must not contain a user name or password', zhCn: '不能包含用户名或密码' },
  'outbound.port': {
    en: 'must use port 80, 443, or one from 1024 on that is not reserved for another protocol',
    zhCn: '端口必须是 80、443，或 1024 以上且未保留给其他协议的端口',
  },
  'outbound.not_public': {
    en: 'must not be an address that is not public ({host}: {problem})',
    zhCn: '不能是非公网地址（{host}：{problem}）',
  },
  'outbound.names_not_public': { en: 'names a host whose address is not public', zhCn: '主机的地址不是公网地址' },
  'outbound.header_refused': { en: 'the header {name} must not be set', zhCn: '不能设置请求头 {name}' },
  'outbound.header_character': {
    en: 'the header {name} has a character that is not allowed',
    zhCn: '请求头 {name} 含有不允许的字符',
  },
  'outbound.url': { en: 'the URL {problem}', zhCn: 'URL {problem}' },
  'outbound.late': {
    en: 'there was no complete response within {timeout} ms',
    zhCn: '{timeout} 毫秒内没有收到完整的应答',
  },
  'outbound.expired': { en: 'the certificate has expired', zhCn: '证书已过期' },
  'outbound.not_yet_valid': { en: 'the certificate is not valid yet', zhCn: '证书尚未生效' },
  'outbound.other_host': { en: 'the certificate is for another host', zhCn: '证书属于另一个主机' },
  'outbound.untrusted': { en: 'the certificate is not from a trusted authority', zhCn: '证书并非由受信任的机构签发' },
  'outbound.blocked': { en: 'the address of the host is not public', zhCn: '主机的地址不是公网地址' },
  'outbound.unresolved': { en: 'the host cannot be resolved', zhCn: '无法解析主机名' },
  'outbound.stopping': { en: 'the request was given up: this service is stopping', zhCn: '请求已放弃：本服务正在停止' },
  'outbound.no_answer': { en: 'the host does not answer', zhCn: '主机没有应答' },
  'outbound.refused': { en: 'the connection was refused', zhCn: '连接被拒绝' },
  'outbound.unreachable': { en: 'the host cannot be reached', zhCn: '无法连接到主机' },
  'outbound.no_tls': { en: 'no TLS connection could be made', zhCn: '无法建立 TLS 连接' },
  'outbound.headers_too_large': { en: 'the response headers are too large', zhCn: '应答头过大' },
  'outbound.not_http': { en: 'the response is not HTTP', zhCn: '应答不是 HTTP' },
  'outbound.cut': { en: 'the connection was closed before the response was complete', zhCn: '连接在应答完成之前关闭' },
  'address.unspecified': { en: 'unspecified', zhCn: '未指定地址' },
  'address.loopback': { en: 'loopback', zhCn: '环回地址' },
  'address.private': { en: 'private', zhCn: '私有地址' },
  'address.carrier': { en: 'shared by a carrier', zhCn: '运营商共享地址' },
  'address.link_local': { en: 'link-local', zhCn: '链路本地地址' },
  'address.metadata': { en: 'cloud metadata', zhCn: '云元数据地址' },
  'address.documentation': { en: 'documentation', zhCn: '文档示例地址' },
  'address.benchmarking': { en: 'benchmarking', zhCn: '基准测试地址' },
  'address.multicast': { en: 'multicast', zhCn: '组播地址' },
  'address.broadcast': { en: 'broadcast', zhCn: '广播地址' },
  'address.reserved': { en: 'reserved', zhCn: '保留地址' },
  'address.discard': { en: 'discard-only', zhCn: '丢弃专用地址' },
  'address.protocols': { en: 'protocol assignments', zhCn: '协议专用地址' },
  'address.as112': { en: 'AS112 and AMT', zhCn: 'AS112 和 AMT' },
  'address.not_global': { en: 'not global unicast', zhCn: '非全球单播地址' },
  'address.none': { en: 'not an address', zhCn: '不是地址' },
} as const satisfies TextTable;

declare module '../i18n/text.ts' {
  interface Templates extends TemplatesOf<typeof OUTBOUND_TEXTS> {}
}
